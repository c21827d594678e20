// Facts of like parts, as a document lists them: fact by fact, because what is alike then stands together and compresses well.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/document.hpp"

namespace assay::inventory {

// One GPU, network card or the like, with its facts in order of importance.
class Part {
 public:
  explicit Part(std::string at) : at_(std::move(at)) {}

  template <typename T>
  void add(const std::string& name, const T& value) {
    facts_.emplace_back(name, Document::to_value(value));
  }
  // Nothing is added where nothing is known.
  template <typename T>
  void add(const std::string& name, const std::optional<T>& value) {
    if (value) add(name, *value);
  }

 private:
  friend void tell(const std::vector<Part>& parts, Document& doc);
  std::string at_;
  std::vector<std::pair<std::string, Document::Value>> facts_;
};

// Writes the facts of all parts into the document: the first fact of each part, then the second of each.
void tell(const std::vector<Part>& parts, Document& doc);

// The values in the order in which they first appear, each once, separated by ", ".
std::string distinct(const std::vector<std::string>& values);

// A text of at most 128 characters: a longer one ends in a number made of the whole, so that two that differ never look alike.
std::string bounded(const std::string& text);

}  // namespace assay::inventory
