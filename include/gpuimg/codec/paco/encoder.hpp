/// @file
/// PaCo encoder: pictures to streams (docs/paco-format.md).
///
/// @code
/// gpuimg::paco::encoder<gpuimg::paco::lossless> encoder;              // on the host, all cores
/// std::vector<std::byte> stream(encoder.bound({.width = w, .height = h, .components = 3, .depth = 8}));
/// stream.resize(encoder.encode(gpuimg::cube_view<const std::uint8_t>(rgb, w, h, 3, gpuimg::interleave::bip), 8,
/// stream));
/// @endcode
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "gpuimg/codec/cdf_5_3.hpp"
#include "gpuimg/codec/image_codec.hpp"
#include "gpuimg/codec/paco/detail/host_tile_encoder.hpp"
#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/codec/paco/options.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::paco {

/// Photographs without loss: reversible colour transform, 5/3 wavelet, blocks of 64 x 64.
using lossless = codec::image_codec<codec::reversible_color, codec::wavelet<codec::cdf_5_3, 5>, codec::no_quantizer,
                                    codec::paco_coder<64, 64>>;

/// Sample types that the codec takes.
template <class S>
concept sample = std::is_same_v<S, std::uint8_t> || std::is_same_v<S, std::int8_t> ||
    std::is_same_v<S, std::uint16_t> || std::is_same_v<S, std::int16_t>;

/// Whether coefficients of this stream fit 16 bits with their signs.
constexpr bool has_narrow_coefficients(const stream_header& h) noexcept {
  return largest_planes(h.picture.depth, h.color_transform) <= 15;
}

/// Encoder of pictures of any size, one after another. One thread at a time per object; objects are independent.
template <class Codec, class Execution = host>
class encoder;

template <class Codec>
class encoder<Codec, host> {
 public:
  /// @throws error invalid_argument when options are out of range (checked with the first picture too)
  explicit encoder(host execution = {}, encode_options options = {}) : execution_(execution), options_(options) {}

  const encode_options& options() const noexcept { return options_; }

  /// The header that a picture's stream will have.
  /// @throws error invalid_argument, naming the value and its limit
  stream_header header(const picture_format& picture) const { return header_for<Codec>(picture, options_); }

  /// Whether encode() would take such a picture.
  bool can_encode(const picture_format& picture) const noexcept {
    try {
      header(picture);
      return true;
    } catch (const error&) { return false; }
  }

  /// Largest size of the stream of such a picture, whatever its samples.
  std::uint64_t bound(const picture_format& picture) const { return stream_bound(header(picture)); }

  /// Encodes a picture whose samples have `depth` significant bits. Samples outside of the depth's range are refused.
  /// An empty picture gives a stream without tiles. @returns the stream's size.
  /// @throws error invalid_argument, buffer_too_small
  template <sample S>
  std::uint64_t encode(cube_view<const S> picture, int depth, std::span<std::byte> stream) {
    const stream_header h = header(format_of(picture, depth));
    std::uint64_t size = begin(h, stream);
    for (std::int64_t i = 0; i < h.tiles(); ++i) {
      const tile_rectangle t = tile_of(h, i);
      size +=
          encode_tile(h, picture.crop(t.x, t.y, t.width, t.height), i, stream.subspan(static_cast<std::size_t>(size)));
    }
    return size + end(stream.subspan(static_cast<std::size_t>(size)));
  }

  /// Tile by tile, for pictures larger than memory: begin(), encode_tile() for each tile in raster order, end().
  /// Each returns the bytes that it wrote to the front of `out`; together they are the stream.
  std::uint64_t begin(const stream_header& h, std::span<std::byte> out) const {
    detail::byte_sink sink(out);
    const auto start = sink.take(stream_start_bytes);
    std::memset(start.data(), 0, start.size());
    std::memcpy(start.data(), stream_magic.data(), stream_magic.size());
    start[8] = std::byte{1};
    const auto head = sink.take(segment_header_bytes + head_bytes);
    write_segment_header(head.data(), {head_type, options_.crc, false, head_bytes});
    write_head(head.data() + segment_header_bytes, h);
    if (options_.crc) { store_little(sink.take(4).data(), crc32(head)); }
    return sink.size();
  }

  /// Encodes tile `index` of the picture of header `h`; tile_bound() bytes of `out` are enough.
  /// @throws error invalid_argument, buffer_too_small
  template <sample S>
  std::uint64_t encode_tile(const stream_header& h, cube_view<const S> tile, std::int64_t index,
                            std::span<std::byte> out) {
    detail::check_tile(h, index, tile);
    codec::check_samples(execution_, tile, h.picture.depth);
    if (has_narrow_coefficients(h)) { return narrow_.encode(execution_, h, options_, tile, index, out); }
    return wide_.encode(execution_, h, options_, tile, index, out);
  }

  std::uint64_t end(std::span<std::byte> out) const {
    detail::byte_sink sink(out);
    const auto segment = sink.take(segment_header_bytes);
    write_segment_header(segment.data(), {end_type, options_.crc, false, 0});
    if (options_.crc) { store_little(sink.take(4).data(), crc32(segment)); }
    return sink.size();
  }

  /// Bytes of memory that the object holds for reuse.
  std::uint64_t workspace_size() const noexcept { return narrow_.workspace_bytes() + wide_.workspace_bytes(); }

 private:
  host execution_;
  encode_options options_;
  detail::host_tile_encoder<Codec, std::int16_t> narrow_;
  detail::host_tile_encoder<Codec, std::int32_t> wide_;
};

}  // namespace gpuimg::paco
