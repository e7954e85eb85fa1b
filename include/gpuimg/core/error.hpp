/// @file
/// The one exception type that host code throws.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gpuimg {

/// What went wrong, for programs; error::what() says it for people.
enum class errc : std::uint8_t {
  invalid_argument,  ///< a parameter is outside its documented range
  unsupported,       ///< well formed, but this build or codec cannot do it
  aliased,           ///< source and destination overlap
  buffer_too_small,  ///< the caller's buffer cannot hold the result
  out_of_memory,     ///< an allocation failed or exceeds the caller's limit
  truncated,         ///< a stream ends before its contents do
  corrupt,           ///< a stream contradicts itself or its checksum
  io,                ///< a file cannot be read or written
  device,            ///< the CUDA runtime reports a failure
  divergence,        ///< the emulator caught threads that disagree on a collective
};

/// Name of an error code, as in its declaration.
constexpr std::string_view name(errc code) noexcept {
  switch (code) {
    case errc::invalid_argument: return "invalid_argument";
    case errc::unsupported: return "unsupported";
    case errc::aliased: return "aliased";
    case errc::buffer_too_small: return "buffer_too_small";
    case errc::out_of_memory: return "out_of_memory";
    case errc::truncated: return "truncated";
    case errc::corrupt: return "corrupt";
    case errc::io: return "io";
    case errc::device: return "device";
    case errc::divergence: return "divergence";
  }
  return "unknown";
}

/// Failure of a host function. The message names the offending value and its limit; for a stream,
/// offset() is the byte at which the fault was found.
class error : public std::runtime_error {
 public:
  error(errc code, const std::string& message) : std::runtime_error(message), code_(code) {}

  error(errc code, const std::string& message, std::uint64_t offset)
      : std::runtime_error(message + " (at byte " + std::to_string(offset) + ")"), code_(code), offset_(offset) {}

  errc code() const noexcept { return code_; }
  std::optional<std::uint64_t> offset() const noexcept { return offset_; }

 private:
  errc code_;
  std::optional<std::uint64_t> offset_;
};

}  // namespace gpuimg
