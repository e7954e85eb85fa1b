/// @file
/// PaCo decoder: streams to pictures (docs/paco-format.md).
///
/// @code
/// gpuimg::paco::decoder<gpuimg::paco::lossless> decoder;
/// const auto format = gpuimg::paco::read_header(stream).picture;
/// std::vector<std::uint8_t> rgb(format.width * format.height * format.components);
/// decoder.decode(stream, gpuimg::cube_view<std::uint8_t>(rgb.data(), format.width, format.height, format.components,
///                                                        gpuimg::interleave::bip));
/// @endcode
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "gpuimg/codec/paco/detail/host_tile_decoder.hpp"
#include "gpuimg/codec/paco/encoder.hpp"
#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::paco {

/// Walks over the segments of a stream in memory, skipping optional ones that nobody knows.
class segment_reader {
 public:
  struct segment {
    std::uint32_t type = 0;
    std::span<const std::byte> payload;
    std::uint64_t offset = 0;  ///< of the payload in the stream
  };

  /// Checks the stream's start.
  explicit segment_reader(std::span<const std::byte> stream) : stream_(stream) { read_stream_start(stream); }

  /// The next segment that a reader must know, its CRC checked if it has one.
  /// @throws error truncated, corrupt, unsupported
  segment next() {
    while (true) {
      const auto rest = stream_.subspan(static_cast<std::size_t>(at_));
      const segment_header s = read_segment_header(rest, at_);
      if (s.rest() > rest.size() - segment_header_bytes) {
        detail::refuse(errc::truncated,
                       "segment " + letters_of(s.type) + " of " + std::to_string(s.rest()) + " bytes has only " +
                           std::to_string(rest.size() - segment_header_bytes) + " left",
                       at_);
      }
      const auto whole = rest.first(static_cast<std::size_t>(segment_header_bytes + s.rest()));
      if (s.has_crc) { check_segment_crc(whole, at_); }
      const std::uint64_t start = at_;
      at_ += whole.size();
      if (s.type == head_type || s.type == tile_type || s.type == end_type) {
        return {s.type, whole.subspan(segment_header_bytes, static_cast<std::size_t>(s.length)),
                start + segment_header_bytes};
      }
      if (!s.optional) {
        detail::refuse(errc::unsupported, "segment " + letters_of(s.type) + " is not known and not optional", start);
      }
    }
  }
  std::uint64_t offset() const noexcept { return at_; }

 private:
  std::span<const std::byte> stream_;
  std::uint64_t at_ = stream_start_bytes;
};

namespace detail {

/// The header from the first segment that counts.
inline stream_header take_head(segment_reader& segments) {
  const auto s = segments.next();
  if (s.type != head_type || s.offset != head_offset) {
    refuse(errc::corrupt, "segment " + letters_of(s.type) + " where HEAD should be", s.offset);
  }
  return read_head(s.payload, s.offset);
}

/// Throws unless the picture is of the header's sizes and sample type.
template <class S>
void check_picture(const stream_header& h, const cube_view<S>& picture) {
  if (picture.width != h.picture.width || picture.height != h.picture.height || picture.bands != h.picture.components) {
    throw error(errc::invalid_argument, "PaCo: the stream is " + std::to_string(h.picture.width) + "x" +
                                            std::to_string(h.picture.height) + " with " +
                                            std::to_string(h.picture.components) +
                                            " components, the picture given is " + std::to_string(picture.width) + "x" +
                                            std::to_string(picture.height) + " with " + std::to_string(picture.bands));
  }
  if (std::is_signed_v<S> != h.picture.is_signed || h.picture.depth > 8 * static_cast<int>(sizeof(S))) {
    throw error(errc::invalid_argument,
                "PaCo: the stream's samples are " + std::string(h.picture.is_signed ? "signed" : "unsigned") +
                    " with " + std::to_string(h.picture.depth) + " bits, the picture's type cannot hold them");
  }
}

/// Decodes all tiles of a stream in memory with any decoder of tiles.
template <class Decoder, class S>
stream_header read_picture(Decoder& decoder, std::span<const std::byte> stream, const cube_view<S>& picture) {
  segment_reader segments(stream);
  const stream_header h = take_head(segments);
  decoder.check(h);
  check_picture(h, picture);
  for (std::int64_t i = 0; i < h.tiles(); ++i) {
    const auto s = segments.next();
    if (s.type != tile_type) {
      refuse(errc::corrupt,
             "segment " + letters_of(s.type) + " where tile " + std::to_string(i) + " of " + std::to_string(h.tiles()) +
                 " should be",
             s.offset);
    }
    const tile_rectangle t = tile_of(h, i);
    decoder.decode_tile(h, s.payload, i, s.offset, picture.crop(t.x, t.y, t.width, t.height));
  }
  const auto s = segments.next();
  if (s.type != end_type || !s.payload.empty()) {
    refuse(errc::corrupt, "segment " + letters_of(s.type) + " where an empty END should be", s.offset);
  }
  return h;
}

}  // namespace detail

/// Reads a stream's header, nothing else. O(1) in the picture's size.
/// @throws error truncated, corrupt, unsupported
inline stream_header read_header(std::span<const std::byte> stream) {
  segment_reader segments(stream);
  return detail::take_head(segments);
}

/// Options of a decoder.
struct decode_options {
  std::uint64_t memory_limit = 0;  ///< most bytes of workspace that a stream may ask for; 0 is no limit
};

/// Decoder of streams of one codec. One thread at a time per object; objects are independent.
template <class Codec, class Execution = host>
class decoder;

template <class Codec>
class decoder<Codec, host> {
 public:
  explicit decoder(host execution = {}, decode_options options = {}) : execution_(execution), options_(options) {}

  /// Throws unless this codec decodes streams of this header within the memory limit.
  /// @throws error unsupported, out_of_memory
  void check(const stream_header& h) const {
    using shape = typename Codec::block_coder::shape;
    const std::string size = std::to_string(1 << h.block_width_log2) + "x" + std::to_string(1 << h.block_height_log2);
    const auto require = [](bool good, const std::string& what, std::uint64_t place) {
      if (!good) { detail::refuse(errc::unsupported, "this decoder cannot read " + what, head_offset + place); }
    };
    require(1 << h.block_width_log2 == shape::width && 1 << h.block_height_log2 == shape::height,
            "code-blocks of " + size, 29);
    require(!h.color_transform || !std::is_same_v<typename Codec::color, codec::no_color>, "the colour transform", 26);
    if constexpr (!std::is_same_v<typename Codec::block_coder::features, codec::coder_features>) {
      require(h.features == features_of<Codec>({}), "other coder features than its own", 34);
    }
    const default_table_set& defaults = default_tables();
    require(h.table_id == defaults.id && h.table_checksum == defaults.checksum,
            "table set " + std::to_string(h.table_id) + " with checksum " + std::to_string(h.table_checksum) +
                "; it has set " + std::to_string(defaults.id) + " with checksum " + std::to_string(defaults.checksum),
            36);
    const std::uint64_t bytes = workspace_size(h, execution_.thread_count());
    if (options_.memory_limit != 0 && bytes > options_.memory_limit) {
      throw error(errc::out_of_memory, "PaCo: the stream asks for " + std::to_string(bytes) +
                                           " bytes of workspace, the limit is " +
                                           std::to_string(options_.memory_limit));
    }
  }

  /// Bytes of workspace that decoding a stream of this header takes with so many threads: at least what
  /// workspace_size() is afterwards, if the object has decoded nothing larger before. O(levels).
  static std::uint64_t workspace_size(const stream_header& h, unsigned threads = 1) noexcept {
    const std::int64_t width = std::min(h.tile_width, h.picture.width);
    const std::int64_t height = std::min(h.tile_height, h.picture.height);
    const auto counts = count_layout(h, width, height);
    const auto samples = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
    const std::uint64_t component = samples * (has_narrow_coefficients(h) ? 2 : 4) +
                                    static_cast<std::uint64_t>(counts.blocks) * (sizeof(block_record) + 8) +
                                    static_cast<std::uint64_t>(counts.groups) * sizeof(block_group);
    // A thread's coder, and the words and raw bits of its block.
    using coder = codec::host_block_coder<typename Codec::block_coder::shape>;
    return component * static_cast<std::uint64_t>(h.picture.components) + threads * 3 * sizeof(coder) + 4096;
  }

  /// Decodes a whole stream. The picture's sizes must be those of the header, its sample type that of signedness and
  /// depth (or a wider one).
  /// @throws error truncated, corrupt, unsupported, invalid_argument, out_of_memory
  template <sample S>
  stream_header decode(std::span<const std::byte> stream, cube_view<S> picture) {
    return detail::read_picture(*this, stream, picture);
  }

  /// Decodes the payload of one TILE segment, which starts at byte `offset` of the stream. Any order of tiles will do.
  /// The header has passed check().
  /// @throws error truncated, corrupt, invalid_argument
  template <sample S>
  void decode_tile(const stream_header& h, std::span<const std::byte> payload, std::int64_t index, std::uint64_t offset,
                   cube_view<S> tile) {
    detail::check_tile(h, index, tile);
    if (has_narrow_coefficients(h)) {
      narrow_.decode(execution_, h, payload, index, offset, tile);
    } else {
      wide_.decode(execution_, h, payload, index, offset, tile);
    }
  }

  /// Bytes of memory that the object holds for reuse.
  std::uint64_t workspace_size() const noexcept { return narrow_.workspace_bytes() + wide_.workspace_bytes(); }

 private:
  host execution_;
  decode_options options_;
  detail::host_tile_decoder<Codec, std::int16_t> narrow_;
  detail::host_tile_decoder<Codec, std::int32_t> wide_;
};

}  // namespace gpuimg::paco
