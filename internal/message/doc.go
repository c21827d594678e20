// Package message holds every sentence that users read: one function for each, which says what happened, the number, what was
// expected, and what to do next. It decides nothing. All of them are in testdata/messages.golden.
package message
