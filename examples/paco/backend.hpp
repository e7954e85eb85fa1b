/// @file
/// What codes the tiles: the processor or a CUDA device, for a shape of code-block that is known at run time only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/codec/paco/options.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::examples {

/// A tile of interleaved samples whose type the stream's header tells: 1 byte up to depth 8, 2 bytes above.
template <class Byte>
struct basic_tile {
  Byte* first = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  int components = 1;
  std::int64_t row_bytes = 0;  ///< from a sample to the one below

  /// The same samples as a view for the codec.
  template <class S>
  cube_view<S> as() const noexcept {
    constexpr auto one = static_cast<std::int64_t>(sizeof(S));
    return {reinterpret_cast<S*>(first), width, height, components, one * components, row_bytes, one};
  }
};
using tile_samples = basic_tile<const std::byte>;
using tile_target = basic_tile<std::byte>;

/// Codes tiles of streams of one shape of code-block. One thread at a time.
class paco_backend {
 public:
  virtual ~paco_backend() = default;
  paco_backend(const paco_backend&) = delete;
  paco_backend& operator=(const paco_backend&) = delete;

  /// What works, for people: "host, 8 threads".
  virtual std::string device() const = 0;

  /// The header that a picture's stream gets from the options.
  /// @throws error invalid_argument
  virtual paco::stream_header header(const paco::picture_format& picture) const = 0;

  /// The parts of a stream around its tiles, written to the front of `out`. @returns their size.
  virtual std::uint64_t begin(const paco::stream_header& h, std::span<std::byte> out) const = 0;
  virtual std::uint64_t end(std::span<std::byte> out) const = 0;

  /// Writes the segment of tile `index`; paco::tile_bound() bytes of `out` are enough. @returns its size.
  /// @throws error
  virtual std::uint64_t encode_tile(const paco::stream_header& h, const tile_samples& tile, std::int64_t index,
                                    std::span<std::byte> out) = 0;

  /// Throws unless streams of this header can be decoded.
  /// @throws error unsupported
  virtual void check(const paco::stream_header& h) const = 0;

  /// Bytes of memory that decoding a tile of this stream takes besides its bytes and its samples; saturates.
  virtual std::uint64_t decoding_workspace(const paco::stream_header& h) const noexcept = 0;

  /// Decodes the payload of the segment of tile `index`, which starts at byte `offset` of the stream.
  /// @throws error truncated, corrupt, unsupported
  virtual void decode_tile(const paco::stream_header& h, std::span<const std::byte> payload, std::int64_t index,
                           std::uint64_t offset, const tile_target& tile) = 0;

  /// Gives memory kept for the next tile back.
  virtual void release() = 0;

 protected:
  paco_backend() = default;
};

/// Shape of a code-block.
struct block_size {
  int width = 64;
  int height = 64;
  friend bool operator==(const block_size&, const block_size&) = default;
};

/// Where to work, as --device names it.
struct device_choice {
  enum class where { automatic, host, cuda } kind = where::automatic;
  int ordinal = 0;       ///< of the CUDA device
  unsigned threads = 0;  ///< of the host; 0 is one a core
};

/// The backend that `device` names; automatic takes a CUDA device where there is one that can do it.
/// @throws error unsupported (the shape, or no CUDA in this build), device
std::unique_ptr<paco_backend> make_backend(const device_choice& device, block_size block,
                                           const paco::encode_options& options);

/// CUDA devices that this build can use; 0 in a build without CUDA.
int cuda_device_count() noexcept;

/// @throws error unsupported (the shape, or no CUDA in this build), device
std::unique_ptr<paco_backend> make_cuda_backend(int ordinal, block_size block, const paco::encode_options& options);

}  // namespace gpuimg::examples
