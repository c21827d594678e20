package controllers

import (
	"maps"
	"sync"
)

// SyncMap is what passes, and those who write about the nodes of one, note side by side.
type SyncMap[V any] struct {
	mu sync.Mutex
	of map[string]V
}

// Get what was noted under a key, if anything was.
func (s *SyncMap[V]) Get(key string) (V, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, known := s.of[key]
	return value, known
}

// Set what is known under a key.
func (s *SyncMap[V]) Set(key string, value V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]V{}
	}
	s.of[key] = value
}

// Keep those of which something is true.
func (s *SyncMap[V]) Keep(is func(key string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.of, func(key string, _ V) bool { return !is(key) })
}
