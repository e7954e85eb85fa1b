/// @file
/// ENVI headers: the text beside a raw cube.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::examples {

/// How a cube lies in a file.
struct cube_layout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t bands = 0;
  lce::sample_type type = lce::sample_type::u16;
  interleave order = interleave::bsq;
  bool big_endian = false;
  std::uint64_t offset = 0;  ///< bytes before the first sample

  std::int64_t sample_bytes() const noexcept { return lce::bytes_of(type); }
  /// Bytes of the samples. @throws error invalid_argument, when a size is not one of a stream
  std::uint64_t bytes() const;
};

/// The fields of a header in their order, as they were written.
class envi_header {
 public:
  envi_header() = default;

  /// @throws error corrupt, when the text is no ENVI header; the message has the line
  explicit envi_header(std::string_view text);

  /// The text of a field, or nothing: names are compared without regard to case.
  const std::string* find(std::string_view name) const;

  /// Replaces or adds a field.
  void set(std::string_view name, std::string value);
  void remove(std::string_view name);

  /// What the header says of the samples. @throws error corrupt for a missing or senseless field, unsupported for a
  /// sample type or compression that is not read here
  cube_layout layout() const;

  /// Makes the header describe a part of the cube: lists with one entry a band keep those of the part.
  void describe(const cube_layout& layout, std::int64_t x, std::int64_t y, std::int64_t first_band);

  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace gpuimg::examples
