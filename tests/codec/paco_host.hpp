/// @file
/// The host's codecs of all block sizes and sample types behind one interface: compilers take long for them, so tests
/// share what paco_host.cpp makes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/codec/paco/options.hpp"
#include "gpuimg/core/image_view.hpp"

namespace paco_tests {

/// Calls body(sample) with the type that samples of a depth are given and decoded to.
template <class Body>
void with_sample_type(int depth, bool is_signed, const Body& body) {
  if (depth <= 8) {
    is_signed ? body(std::int8_t{}) : body(std::uint8_t{});
  } else {
    is_signed ? body(std::int16_t{}) : body(std::uint16_t{});
  }
}

/// An encoder and a decoder of one codec.
class host_codec {
 public:
  template <class S>
  using view = gpuimg::cube_view<S>;
  using bytes = std::span<std::byte>;
  using stream = std::span<const std::byte>;

  virtual ~host_codec() = default;
  virtual gpuimg::paco::stream_header header(const gpuimg::paco::picture_format& format) const = 0;
  virtual std::uint64_t bound(const gpuimg::paco::picture_format& format) const = 0;
  virtual std::uint64_t encode(view<const std::uint8_t> picture, int depth, bytes out) = 0;
  virtual std::uint64_t encode(view<const std::int8_t> picture, int depth, bytes out) = 0;
  virtual std::uint64_t encode(view<const std::uint16_t> picture, int depth, bytes out) = 0;
  virtual std::uint64_t encode(view<const std::int16_t> picture, int depth, bytes out) = 0;
  virtual void decode(stream in, view<std::uint8_t> picture) = 0;
  virtual void decode(stream in, view<std::int8_t> picture) = 0;
  virtual void decode(stream in, view<std::uint16_t> picture) = 0;
  virtual void decode(stream in, view<std::int16_t> picture) = 0;
  virtual std::uint64_t decoder_estimate(const gpuimg::paco::stream_header& header, unsigned threads) const = 0;
  virtual std::uint64_t decoder_workspace() const = 0;
};

/// The codec of blocks of `block` x `block`: 16, 32, 64 or 128.
std::unique_ptr<host_codec> make_host_codec(int block, const gpuimg::paco::encode_options& options = {},
                                            unsigned threads = 1);

/// What bytes decode to.
struct any_picture {
  gpuimg::paco::stream_header header;
  std::vector<std::int32_t> samples;  ///< planar
};

/// decode_any() of paco_any.hpp.
any_picture decode_any_stream(std::span<const std::byte> stream, std::uint64_t most, int fill);

}  // namespace paco_tests
