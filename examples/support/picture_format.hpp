/// @file
/// What the example programs know of a picture file: its size, its samples and its kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuimg::examples {

/// Size and sample type of a picture. Rows in memory are interleaved by pixel and packed; a sample of at most 8, 16
/// or 32 bits takes 1, 2 or 4 bytes in native byte order, unscaled, sign-extended when signed.
struct picture_format {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int components = 1;      ///< 1..65535
  int depth = 8;           ///< significant bits of a sample, 1..32
  bool is_signed = false;  ///< two's complement
  bool has_alpha = false;  ///< the last component is opacity

  /// Largest sample that the file allows, 0 for the largest that `depth` holds. Only PNM and PAM can state a smaller
  /// one (1..65535): samples are kept as they are, and a writer of PNM or PAM states it again. A writer that is not
  /// told so states 2^depth - 1, which keeps the samples and changes their meaning.
  std::uint32_t maxval = 0;

  /// Bytes of a sample in memory: 1, 2 or 4.
  constexpr int bytes_per_sample() const noexcept { return depth <= 8 ? 1 : depth <= 16 ? 2 : 4; }
  constexpr std::int64_t samples_per_row() const noexcept { return width * components; }
  constexpr std::int64_t bytes_per_row() const noexcept { return samples_per_row() * bytes_per_sample(); }
  constexpr std::int64_t bytes() const noexcept { return bytes_per_row() * height; }

  bool operator==(const picture_format&) const = default;
};

/// Kind of a picture file. `pnm` on writing stands for pbm, pgm or ppm, as the samples ask for; a reader names the
/// kind that it found.
enum class file_kind : std::uint8_t { png, pbm, pgm, ppm, pnm, pam, tiff };

/// Name of a kind: its usual extension without the dot.
std::string_view name(file_kind kind) noexcept;

/// The kind that a name or extension stands for: png, pbm, pgm, ppm, pnm, pam, tif, tiff, in either case; nothing for
/// any other.
std::optional<file_kind> kind_from_name(std::string_view extension);

/// The kind that the extension of `path` stands for.
/// @throws error invalid_argument for no or an unknown extension; the message lists the known ones.
file_kind kind_from_path(const std::string& path);

/// Whether a picture of this format fits into a file of this kind without loss; if not, why.
/// PNG: 1..4 components (the last of 2 and of 4 is alpha there), unsigned, depth 1..16 (see picture_writer for depths
/// that PNG does not have). PBM: 1 component of depth 1. PGM: 1 component, PPM: 3, unsigned, depth 1..16. PNM: either.
/// PAM: any number. TIFF: any format, width and height below 2^32.
/// @returns an empty string when it fits.
std::string reason_against(file_kind kind, const picture_format& format);

}  // namespace gpuimg::examples
