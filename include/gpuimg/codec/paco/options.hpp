/// @file
/// What an encoder may be told, and what a stream's header becomes from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "gpuimg/codec/image_codec.hpp"
#include "gpuimg/codec/paco/default_tables.hpp"
#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/codec/paco/tables.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/simt/bits.hpp"

namespace gpuimg::paco {

/// Which probabilities the coder uses.
enum class table_choice : std::uint8_t {
  automatic,  ///< counted on the tile, fitted, and sent inline where that pays
  standard,   ///< the default set
  given,      ///< encode_options::tables, sent inline as steps of the ladder
};

/// Options of an encoder; the defaults are meant to be good.
struct encode_options {
  int levels = -1;                               ///< of decomposition, 0 .. 32; -1 is the codec's own
  std::int64_t tile_width = 0;                   ///< 0 is the picture's width
  std::int64_t tile_height = 0;                  ///< 0 is the picture's height
  bool color_transform = true;                   ///< where the codec has one and the picture at least three components
  std::array<int, 3> color_components{0, 1, 2};  ///< which components are red, green, blue
  table_choice choice = table_choice::automatic;
  const std::array<class_table, table_classes>* tables = nullptr;  ///< for table_choice::given
  int raw_planes = 2;  ///< planes whose later refinement bits are raw (docs/paco-format.md section 5.6), 0 .. 24
  codec::coder_features features{};  ///< ignored where the codec fixes them
  int fast_planes = 0;               ///< lowest planes of each block in one scan, 0 .. 24
  bool crc = false;                  ///< a CRC-32 behind each segment
};

/// The coder features of a codec: its own if fixed at compile time, else the options'.
template <class Codec>
codec::coder_features features_of(const encode_options& options) noexcept {
  if constexpr (std::is_same_v<typename Codec::block_coder::features, codec::coder_features>) {
    return options.features;
  } else {
    return typename Codec::block_coder::features{};
  }
}

/// The header of the stream that a codec makes of a picture.
/// @throws error invalid_argument, naming the value and its limit
template <class Codec>
stream_header header_for(const picture_format& picture, const encode_options& options) {
  using shape = typename Codec::block_coder::shape;
  const auto require = [](bool good, const char* what, std::int64_t value, const char* legal) {
    if (!good) {
      throw error(errc::invalid_argument,
                  "PaCo: " + std::string(what) + " is " + std::to_string(value) + ", must be " + legal);
    }
  };
  constexpr std::int64_t most = 0xFFFFFFFF;
  require(picture.width >= 0 && picture.width <= most, "width", picture.width, "0..2^32-1");
  require(picture.height >= 0 && picture.height <= most, "height", picture.height, "0..2^32-1");
  require(picture.components >= 1 && picture.components <= 65535, "components", picture.components, "1..65535");
  require(picture.depth >= 1 && picture.depth <= 16, "depth", picture.depth, "1..16");
  require(options.tile_width >= 0 && options.tile_width <= most, "tile width", options.tile_width, "0..2^32-1");
  require(options.tile_height >= 0 && options.tile_height <= most, "tile height", options.tile_height, "0..2^32-1");
  require(options.raw_planes >= 0 && options.raw_planes <= codec::largest_plane_count, "raw planes", options.raw_planes,
          "0..24");
  require(options.fast_planes >= 0 && options.fast_planes <= codec::largest_plane_count, "fast planes",
          options.fast_planes, "0..24");
  require(options.choice != table_choice::given || options.tables != nullptr, "tables given", 0, "there");
  stream_header h;
  h.picture = picture;
  h.tile_width = options.tile_width != 0 ? options.tile_width : std::max<std::int64_t>(picture.width, 1);
  h.tile_height = options.tile_height != 0 ? options.tile_height : std::max<std::int64_t>(picture.height, 1);
  require(options.levels >= -1 && options.levels <= 32, "levels", options.levels, "0..32, or -1 for the codec's own");
  h.levels = options.levels >= 0 ? options.levels : Codec::wavelet::levels;
  require(h.tile_columns() == 0 || h.tile_rows() <= INT64_MAX / h.tile_columns(), "number of tile rows", h.tile_rows(),
          "such that tiles stay below 2^63");
  require(h.tile_is_countable(), "tile height", std::min(h.tile_height, picture.height),
          "such that a tile has fewer than 2^59 samples");
  h.color_transform =
      !std::is_same_v<typename Codec::color, codec::no_color> && options.color_transform && picture.components >= 3;
  if (h.color_transform) {
    const auto& c = options.color_components;
    for (const int i : c) { require(i >= 0 && i < picture.components, "colour component", i, "a component"); }
    require(c[0] != c[1] && c[1] != c[2] && c[0] != c[2], "colour component", c[2], "used once");
    h.color_components = c;
  }
  h.block_width_log2 = simt::bit_width(static_cast<std::uint32_t>(shape::width)) - 1;
  h.block_height_log2 = simt::bit_width(static_cast<std::uint32_t>(shape::height)) - 1;
  h.raw_planes = options.raw_planes;
  h.features = features_of<Codec>(options);
  h.fast_planes = options.fast_planes > 0;
  h.table_id = default_tables().id;
  h.table_checksum = default_tables().checksum;
  return h;
}

/// The format of a picture that is given as a view.
/// @throws error invalid_argument, when it has more components than a header can count
template <class S>
picture_format format_of(const cube_view<S>& picture, int depth) {
  if (picture.bands < 0 || picture.bands > 65535) {
    throw error(errc::invalid_argument, "PaCo: components is " + std::to_string(picture.bands) + ", must be 1..65535");
  }
  return {picture.width, picture.height, static_cast<int>(picture.bands), depth, std::is_signed_v<S>};
}

/// Bytes of a tile's samples when stored as they are (docs/paco-format.md section 8).
inline std::uint64_t stored_bytes(const stream_header& h, std::int64_t width, std::int64_t height) noexcept {
  const auto samples = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) *
                       static_cast<std::uint64_t>(h.picture.components);
  return 2 * codec::words_of_bits(samples * static_cast<std::uint64_t>(h.picture.depth));
}

/// Largest size of a tile's segment.
inline std::uint64_t tile_bound(const stream_header& h, std::int64_t width, std::int64_t height) noexcept {
  return segment_header_bytes + tile_header_bytes + stored_bytes(h, width, height) + 4;
}

/// Largest size of a stream: its samples as they are and 52 bytes a tile. Nothing, noise least of all, exceeds it.
/// UINT64_MAX when that has no room in 64 bits.
inline std::uint64_t stream_bound(const stream_header& h) noexcept {
  const std::uint64_t fixed = stream_start_bytes + (segment_header_bytes + head_bytes + 4) + (segment_header_bytes + 4);
  const std::int64_t columns = h.tile_columns();
  const std::int64_t rows = h.tile_rows();
  if (h.tiles() == 0) { return fixed; }
  const std::int64_t last_width = h.picture.width - (columns - 1) * h.tile_width;
  const std::int64_t last_height = h.picture.height - (rows - 1) * h.tile_height;
  std::uint64_t sum = fixed;
  const auto add = [&](std::int64_t count, std::int64_t width, std::int64_t height) {
    const auto n = static_cast<std::uint64_t>(count);
    if (n == 0) { return; }
    const std::uint64_t each = tile_bound(h, width, height);
    sum = each > (UINT64_MAX - sum) / n ? UINT64_MAX : sum + n * each;
  };
  add((columns - 1) * (rows - 1), h.tile_width, h.tile_height);
  add(rows - 1, last_width, h.tile_height);
  add(columns - 1, h.tile_width, last_height);
  add(1, last_width, last_height);
  return sum;
}

}  // namespace gpuimg::paco
