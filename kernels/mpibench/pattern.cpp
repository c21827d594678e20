#include "mpibench/pattern.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace assay::mpibench {
namespace {

constexpr std::align_val_t kPage{4096};

// The finalizer of SplitMix64: every bit of the index and of the seed changes about half of the bits.
std::uint64_t word_at(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t z = (index + 1) * 0x9E3779B97F4A7C15ULL + seed * 0xD1342543DE82EF95ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

Buffer::Buffer(Place place, std::size_t bytes) : place_(place), bytes_(bytes) {
  data_ = static_cast<unsigned char*>(place == Place::Gpu ? gpu_allocate(bytes) : ::operator new(bytes, kPage));
  write(0, std::vector<unsigned char>(bytes));  // all pages are there before the first message
}

Buffer::~Buffer() {
  if (place_ == Place::Gpu) {
    gpu_free(data_);
  } else {
    ::operator delete(data_, kPage);
  }
}

void Buffer::write(std::size_t offset, const std::vector<unsigned char>& from) const {
  if (place_ == Place::Gpu) {
    gpu_copy(at(offset), from.data(), from.size());
  } else {
    std::copy(from.begin(), from.end(), at(offset));
  }
}

std::vector<unsigned char> Buffer::read(std::size_t offset, std::size_t bytes) const {
  std::vector<unsigned char> content(bytes);
  if (place_ == Place::Gpu) {
    gpu_wait();
    gpu_copy(content.data(), at(offset), bytes);
  } else {
    std::copy_n(at(offset), bytes, content.begin());
  }
  return content;
}

std::vector<unsigned char> message_content(int sender, std::size_t number, std::size_t bytes) {
  const std::uint64_t seed = (static_cast<std::uint64_t>(sender) << 32) + number;
  std::vector<unsigned char> content(bytes);
  for (std::size_t offset = 0; offset < bytes; offset += sizeof(std::uint64_t)) {
    const std::uint64_t word = word_at(offset / sizeof(std::uint64_t), seed);
    std::memcpy(content.data() + offset, &word, std::min(sizeof word, bytes - offset));
  }
  return content;
}

std::vector<unsigned char> poison_for(std::vector<unsigned char> content) {
  for (auto& byte : content) byte = static_cast<unsigned char>(~byte);
  return content;
}

void flip_bit(const Buffer& buffer, std::size_t offset) {
  auto byte = buffer.read(offset, 1);
  byte[0] ^= 0x10;
  buffer.write(offset, byte);
}

}  // namespace assay::mpibench
