// What messages hold, so that a damaged, stale or misdirected one is found; and buffers on the host or on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpibench/gpu_memory.hpp"

namespace assay::mpibench {

enum class Place { Host, Gpu };

class Buffer {
 public:
  Buffer(Place place, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::size_t bytes() const { return bytes_; }
  unsigned char* at(std::size_t offset) const { return data_ + offset; }
  void write(std::size_t offset, const std::vector<unsigned char>& from) const;
  std::vector<unsigned char> read(std::size_t offset, std::size_t bytes) const;

 private:
  Place place_;
  std::size_t bytes_;
  unsigned char* data_ = nullptr;
};

// The content of message `number` from rank `sender`.
std::vector<unsigned char> message_content(int sender, std::size_t number, std::size_t bytes);

// Differs from the content in every byte: what a receive buffer holds before.
std::vector<unsigned char> poison_for(std::vector<unsigned char> content);

// For tests: what a broken link or memory would do.
void flip_bit(const Buffer& buffer, std::size_t offset);

}  // namespace assay::mpibench
