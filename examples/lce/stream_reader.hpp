/// @file
/// Streams read forward, a slab at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "envi_header.hpp"
#include "support/byte_file.hpp"

#include "gpuimg/codec/lce/format.hpp"

namespace gpuimg::examples {

class stream_reader {
 public:
  /// @throws error io, truncated, corrupt or unsupported
  explicit stream_reader(const std::string& path);

  const lce::stream_header& header() const noexcept { return header_; }

  /// Reads the next slab. @param offset  receives where it starts
  const std::vector<std::byte>& read_slab(std::int64_t slab, std::uint64_t& offset);

  /// Passes over the next slab.
  void skip_slab(std::int64_t slab);

  /// Reads what follows the last slab. @returns the ENVI header, if one is there
  std::optional<envi_header> read_segments();

  std::uint64_t position() const noexcept { return file_.position(); }

 private:
  std::uint64_t read_slab_start(std::int64_t slab);
  void append(std::uint64_t bytes);

  input_file file_;
  lce::stream_header header_;
  std::vector<std::byte> slab_;
};

}  // namespace gpuimg::examples
