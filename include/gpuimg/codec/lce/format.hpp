/// @file
/// Header and slabs of the LCE-style stream: reading with every field checked, writing (docs/lce-format.md, sections 1
/// and 2).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "gpuimg/codec/lce/block_grid.hpp"
#include "gpuimg/codec/lce/options.hpp"
#include "gpuimg/core/byte_order.hpp"
#include "gpuimg/core/crc32.hpp"
#include "gpuimg/core/error.hpp"
#include "gpuimg/core/image_view.hpp"

namespace gpuimg::lce {

/// Type of a sample in memory.
enum class sample_type : std::uint8_t { u8, u16, i16 };

template <class T>
inline constexpr bool is_sample = false;
template <>
inline constexpr bool is_sample<std::uint8_t> = true;
template <>
inline constexpr bool is_sample<std::uint16_t> = true;
template <>
inline constexpr bool is_sample<std::int16_t> = true;

/// A type that a cube of this codec has.
template <class T>
concept cube_sample = is_sample<T>;

template <cube_sample T>
inline constexpr sample_type sample_type_of = sizeof(T) == 1              ? sample_type::u8
                                              : static_cast<T>(-1) > T(0) ? sample_type::u16
                                                                          : sample_type::i16;

constexpr int bytes_of(sample_type type) noexcept { return type == sample_type::u8 ? 1 : 2; }

inline constexpr std::size_t header_bytes = 64;
inline constexpr std::size_t slab_header_bytes = 16;
inline constexpr std::array<unsigned char, 8> stream_magic{0x89, 'G', 'L', 'C', 0x0D, 0x0A, 0x1A, 0x0A};

inline constexpr std::int64_t largest_extent = 0x7FFFFFFF;
inline constexpr std::int64_t most_bands = 1 << 24;
inline constexpr std::int64_t most_samples = std::int64_t{1} << 48;

/// Everything that the header of a stream says.
struct stream_header {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t bands = 0;
  sample_type type = sample_type::u16;
  interleave origin = interleave::bsq;
  coding_options options;  ///< slab_rows is a number here

  bool empty() const noexcept { return width == 0 || height == 0 || bands == 0; }
  int depth() const noexcept { return 8 * bytes_of(type); }

  std::int64_t slabs() const noexcept { return empty() ? 0 : (height + options.slab_rows - 1) / options.slab_rows; }
  std::int64_t first_row(std::int64_t slab) const noexcept { return slab * options.slab_rows; }
  std::int64_t rows(std::int64_t slab) const noexcept {
    const std::int64_t left = height - first_row(slab);
    return left < options.slab_rows ? left : options.slab_rows;
  }
  block_grid blocks(std::int64_t slab) const noexcept { return {width, rows(slab)}; }

  /// Groups of bands that the group index counts; 0 without it.
  std::int64_t groups() const noexcept {
    return options.band_group == 0 ? 0 : (bands + options.band_group - 1) / options.band_group;
  }

  /// |decoded - original| of every sample, at most. Without meaning for lossy streams.
  std::uint32_t max_error() const noexcept {
    const std::uint32_t in_cell = std::max(options.offset, options.delta - 1 - options.offset);
    return std::max({options.threshold - 1, in_cell, options.delta / 2});
  }
};

/// Where the parts of a slab are, in bytes from its start.
struct slab_layout {
  std::int64_t blocks;
  std::int64_t lengths;    ///< a 32-bit number of words for each block
  std::int64_t checksums;  ///< a CRC-32 for each block
  std::int64_t groups;     ///< a 16-bit number of bits for each block and group of bands
  std::int64_t payload;    ///< the end of the index

  slab_layout(const stream_header& header, std::int64_t slab) noexcept {
    blocks = header.blocks(slab).count();
    lengths = slab_header_bytes;
    checksums = lengths + (header.options.block_index ? 4 * blocks : 0);
    groups = checksums + (header.options.checksums ? 4 * blocks : 0);
    payload = groups + (blocks * header.groups() + 1) / 2 * 4;
  }
};

namespace detail {

inline void check_field(bool legal, const char* field, std::int64_t value, const std::string& limits,
                        errc code = errc::invalid_argument) {
  if (!legal) { throw error(code, std::string("lce: ") + field + " is " + std::to_string(value) + "; " + limits); }
}

/// Whether a cube has no more samples than a stream may hold; the extents are within their own limits.
constexpr bool fits(std::int64_t width, std::int64_t height, std::int64_t bands) noexcept {
  return bands == 0 || width * height <= most_samples / bands;
}

inline std::string volume_message(std::int64_t width, std::int64_t height, std::int64_t bands) {
  return "lce: a cube of " + std::to_string(width) + " x " + std::to_string(height) + " x " + std::to_string(bands) +
         " samples; the limit is 2^48";
}

/// Reads fields of a header and reports where they are.
class header_fields {
 public:
  explicit header_fields(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  template <class T>
  T get(std::size_t offset) const noexcept {
    return load_little<T>(bytes_.data() + offset);
  }

  template <class T>
  T get(std::size_t offset, const char* field, std::uint64_t least, std::uint64_t most,
        errc code = errc::corrupt) const {
    const T value = get<T>(offset);
    if (value < least || value > most) {
      throw error(code,
                  std::string("lce: ") + field + " is " + std::to_string(value) + "; legal are " +
                      std::to_string(least) + " .. " + std::to_string(most),
                  offset);
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace detail

/// Throws unless `options` can be used.
/// @throws error invalid_argument, naming the value and its limits
inline void check_options(const coding_options& o) {
  using detail::check_field;
  check_field(o.delta >= 1 && o.delta <= 65535, "delta", o.delta, "legal are 1 .. 65535");
  check_field(o.threshold >= 1 && o.threshold <= 65535, "threshold", o.threshold, "legal are 1 .. 65535");
  check_field(o.offset < o.delta, "offset", o.offset, "legal are 0 .. delta - 1 = " + std::to_string(o.delta - 1));
  check_field(o.uniform() || o.delta >= 3, "delta", o.delta, "a quantiser that is not uniform needs at least 3");
  check_field(o.mode != coding_mode::lossless || (o.delta == 1 && o.uniform()), "delta", o.delta,
              "lossless needs the uniform quantiser of step 1");
  check_field(o.gamma <= 65535, "gamma", o.gamma, "legal are 0 .. 65535");
  check_field(o.gamma == 0 || o.mode == coding_mode::lossy, "gamma", o.gamma, "only lossy streams drop residuals");
  check_field(o.restart >= 0 && o.restart <= 65535, "restart", o.restart, "legal are 0 .. 65535 bands");
  check_field(o.band_group >= automatic_group && o.band_group <= 15, "band group", o.band_group,
              "legal are 0 .. 15 bands, and automatic_group");
  check_field(o.slab_rows >= 0 && o.slab_rows % 16 == 0 && o.slab_rows <= largest_extent, "rows of a slab", o.slab_rows,
              "legal are multiples of 16");
}

/// The header of a stream of a cube. Without the samples, zero flags where they pay are zero flags.
/// @throws error invalid_argument
inline stream_header make_header(std::int64_t width, std::int64_t height, std::int64_t bands, sample_type type,
                                 const coding_options& options, interleave origin = interleave::bsq) {
  using detail::check_field;
  check_options(options);
  check_field(width >= 0 && width <= largest_extent, "width", width, "legal are 0 .. 2^31 - 1");
  check_field(height >= 0 && height <= largest_extent, "height", height, "legal are 0 .. 2^31 - 1");
  check_field(bands >= 0 && bands <= most_bands, "bands", bands, "legal are 0 .. 2^24");
  if (!detail::fits(width, height, bands)) {
    throw error(errc::invalid_argument, detail::volume_message(width, height, bands));
  }
  stream_header header{width, height, bands, type, origin, options};
  if (options.zero_flags == zero_flag_use::where_they_pay) { header.options.zero_flags = zero_flag_use::on; }
  if (header.options.slab_rows == 0) {
    header.options.slab_rows =
        std::min<std::int64_t>((std::max<std::int64_t>(height, 1) + 15) / 16 * 16, largest_extent / 16 * 16);
  }
  if (header.options.band_group == automatic_group) {
    // Above this size blocks are as good as whole.
    const std::int64_t columns = std::min<std::int64_t>(width, 1 << 20);
    const std::int64_t rows = std::min<std::int64_t>(height, 1 << 20);
    const std::int64_t samples = std::max<std::int64_t>(columns * rows, 1);
    const std::int64_t quotient = (2048 * ((columns + 15) / 16) * ((rows + 15) / 16) + samples - 1) / samples;
    header.options.band_group = static_cast<int>(std::clamp<std::int64_t>(quotient, 8, 15));
  }
  return header;
}

/// The 64 bytes of a header.
inline std::array<std::byte, header_bytes> write_header(const stream_header& h) noexcept {
  std::array<std::byte, header_bytes> bytes{};
  const auto put = [&](std::size_t offset, auto value) { store_little(bytes.data() + offset, value); };
  std::memcpy(bytes.data(), stream_magic.data(), stream_magic.size());
  put(8, std::uint16_t{1});
  put(12, static_cast<std::uint32_t>(header_bytes));
  put(16, static_cast<std::uint32_t>(h.width));
  put(20, static_cast<std::uint32_t>(h.height));
  put(24, static_cast<std::uint32_t>(h.bands));
  put(28, static_cast<std::uint32_t>(h.options.slab_rows));
  put(32, static_cast<std::uint8_t>(h.type));
  put(33, static_cast<std::uint8_t>(h.origin));
  put(34, static_cast<std::uint8_t>(h.options.mode));
  put(35, static_cast<std::uint8_t>((h.options.block_index ? 1 : 0) | (h.options.checksums ? 2 : 0) |
                                    (h.options.zero_flags != zero_flag_use::off ? 4 : 0)));
  put(36, h.options.delta);
  put(40, h.options.threshold);
  put(44, h.options.offset);
  put(48, static_cast<std::uint16_t>(h.options.gamma));
  put(50, static_cast<std::uint16_t>(h.options.restart));
  put(52, static_cast<std::uint8_t>(h.options.band_group));
  put(60, crc32(std::span(bytes).first(60)));
  return bytes;
}

/// Reads the header at the start of `stream`.
/// @throws error truncated, corrupt or unsupported, with the offset of the field
inline stream_header read_header(std::span<const std::byte> stream) {
  if (stream.size() < header_bytes) {
    throw error(errc::truncated, "lce: " + std::to_string(stream.size()) + " bytes, a header has 64", stream.size());
  }
  const auto bytes = stream.first(header_bytes);
  if (std::memcmp(bytes.data(), stream_magic.data(), stream_magic.size()) != 0) {
    throw error(errc::corrupt, "lce: the magic number is missing", 0);
  }
  const detail::header_fields fields(bytes);
  fields.get<std::uint16_t>(8, "major version", 1, 1, errc::unsupported);
  fields.get<std::uint32_t>(12, "length of the header", header_bytes, header_bytes);
  if (crc32(bytes.first(60)) != fields.get<std::uint32_t>(60)) {
    throw error(errc::corrupt, "lce: the checksum of the header is wrong", 60);
  }
  stream_header h;
  h.width = fields.get<std::uint32_t>(16, "width", 0, largest_extent);
  h.height = fields.get<std::uint32_t>(20, "height", 0, largest_extent);
  h.bands = fields.get<std::uint32_t>(24, "bands", 0, most_bands);
  h.options.slab_rows = fields.get<std::uint32_t>(28, "rows of a slab", 16, largest_extent);
  h.type = static_cast<sample_type>(fields.get<std::uint8_t>(32, "sample type", 0, 2));
  h.origin = static_cast<interleave>(fields.get<std::uint8_t>(33, "interleave", 0, 2));
  h.options.mode = static_cast<coding_mode>(fields.get<std::uint8_t>(34, "mode", 0, 2));
  const auto features = fields.get<std::uint8_t>(35, "features", 0, 7, errc::unsupported);
  h.options.block_index = (features & 1) != 0;
  h.options.checksums = (features & 2) != 0;
  h.options.zero_flags = (features & 4) != 0 ? zero_flag_use::on : zero_flag_use::off;
  h.options.delta = fields.get<std::uint32_t>(36, "delta", 1, 65535);
  h.options.threshold = fields.get<std::uint32_t>(40, "threshold", 1, 65535);
  h.options.offset = fields.get<std::uint32_t>(44, "offset", 0, h.options.delta - 1);
  h.options.gamma = fields.get<std::uint16_t>(48);
  h.options.restart = fields.get<std::uint16_t>(50);
  h.options.band_group = fields.get<std::uint8_t>(52, "bands of a group", 0, 15);
  if (!detail::fits(h.width, h.height, h.bands)) {
    throw error(errc::corrupt, detail::volume_message(h.width, h.height, h.bands), 16);
  }
  try {
    check_options(h.options);
  } catch (const error& e) { throw error(errc::corrupt, e.what(), 36); }
  return h;
}

/// Writes the 16 bytes before a slab's index.
inline void write_slab_header(std::byte* to, std::int64_t slab, std::int64_t payload_bytes) noexcept {
  std::memcpy(to, "SLAB", 4);
  store_little(to + 4, static_cast<std::uint32_t>(slab));
  store_little(to + 8, static_cast<std::uint64_t>(payload_bytes));
}

/// Checks the header of a slab. @returns the bytes of its payload
/// @throws error corrupt or truncated; `offset` is where the slab starts in its stream
inline std::int64_t read_slab_header(const stream_header& header, std::int64_t slab, std::span<const std::byte> bytes,
                                     std::uint64_t offset) {
  if (bytes.size() < slab_header_bytes) {
    throw error(errc::truncated, "lce: the header of slab " + std::to_string(slab) + " is missing", offset);
  }
  if (std::memcmp(bytes.data(), "SLAB", 4) != 0) { throw error(errc::corrupt, "lce: no slab begins here", offset); }
  const auto number = load_little<std::uint32_t>(bytes.data() + 4);
  if (number != slab) {
    throw error(errc::corrupt, "lce: slab " + std::to_string(number) + " instead of " + std::to_string(slab),
                offset + 4);
  }
  const auto payload = load_little<std::uint64_t>(bytes.data() + 8);
  const auto most =
      header.blocks(slab).words_before(slab_layout(header, slab).blocks, header.bands, header.depth()) * 4;
  if (payload % 4 != 0 || payload > static_cast<std::uint64_t>(most)) {
    throw error(errc::corrupt,
                "lce: a payload of " + std::to_string(payload) + " bytes; legal are multiples of 4 up to " +
                    std::to_string(most),
                offset + 8);
  }
  return static_cast<std::int64_t>(payload);
}

}  // namespace gpuimg::lce
