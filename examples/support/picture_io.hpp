/// @file
/// Row by row reading and writing of picture files: PNG, PNM, PAM and TIFF.
///
/// Pictures may be larger than memory: readers and writers hold a row, or what the file format forces on them (see
/// picture_reader), never more than read_limits::buffer_bytes.
///
/// @code
/// auto reader = picture_reader::open("in.png");
/// auto writer = picture_writer::open("out.tif", reader->format());
/// std::vector<std::byte> row(static_cast<std::size_t>(reader->format().bytes_per_row()));
/// while (reader->rows_left() > 0) {
///   reader->read_rows(1, row);
///   writer->write_rows(1, row);
/// }
/// writer->finish();
/// @endcode
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "picture_format.hpp"

namespace gpuimg::examples {

/// Bounds for what a file may make a reader do.
struct read_limits {
  std::uint64_t buffer_bytes = std::uint64_t{4} << 30;  ///< memory that one reader may hold
};

/// A picture file that is read from the top row to the bottom row.
///
/// - PNG: palettes become RGB (RGBA with tRNS), a transparent colour becomes an alpha component. Grey of 1, 2 and 4
///   bits keeps its depth, unless it has a transparent value: then it is scaled to 8 bits, as its alpha is. sBIT is
///   honoured when all components have the same number and every sample is that many bits repeated downwards, as
///   the PNG specification scales samples and as picture_writer writes them: then depth is that number and samples
///   are the upper bits; else depth is that of the file and samples are as stored. Interlaced files and files with
///   an sBIT below the depth are held in memory whole (an sBIT that would need more than the limit is ignored);
///   others a row at a time. Gamma and colour profiles are not applied and not kept.
/// - PNM: P1..P6; of a bitmap 1 is white, as in PGM. PAM: any DEPTH; alpha if TUPLTYPE says so. MAXVAL up to 65535;
///   depth is the bits that MAXVAL needs; a sample above MAXVAL is an error. Bytes after the picture are ignored.
/// - TIFF: first directory; integers of 1..32 bits, signed or not, contiguous or planar, strips or tiles, classic or
///   BigTIFF; MinIsBlack, MinIsWhite (inverted to MinIsBlack) and RGB. A row at a time for contiguous strips (and the
///   stored bytes of a compressed strip); a row of tiles, or a strip of each plane, otherwise. Premultiplied alpha is
///   read as stored. A TIFF from a pipe is first copied to an unnamed temporary file.
class picture_reader {
 public:
  virtual ~picture_reader() = default;
  picture_reader(const picture_reader&) = delete;
  picture_reader& operator=(const picture_reader&) = delete;

  /// Opens a picture; the kind is told from its first bytes. "-" is the standard input.
  /// @throws error io (no such file, read failure), truncated, corrupt (with offset where known), unsupported (a kind
  /// or a property that is not read, named in the message), out_of_memory (more than the limit).
  static std::unique_ptr<picture_reader> open(const std::string& path, const read_limits& limits = {});

  const picture_format& format() const noexcept { return format_; }
  file_kind kind() const noexcept { return kind_; }
  std::int64_t rows_left() const noexcept { return rows_left_; }

  /// Reads the next `count` rows into the first count * bytes_per_row() bytes of `rows`. With the last row, what
  /// follows in the file is checked too (PNG).
  /// @throws error invalid_argument for a count outside of 0..rows_left(), buffer_too_small, and as open(). After an
  /// error the reader cannot go on, and the contents of `rows` are not specified.
  void read_rows(std::int64_t count, std::span<std::byte> rows);

 protected:
  picture_reader() = default;

  virtual void read_row(std::byte* row) = 0;
  /// Called once, after the last row.
  virtual void read_end() {}

  picture_format format_;
  file_kind kind_ = file_kind::png;
  std::int64_t rows_left_ = 0;
};

/// How a writer trades time for size.
struct write_options {
  int png_level = 3;  ///< zlib level of a PNG, 0..9
};

/// A picture file that is written from the top row to the bottom row. It appears under its name with finish(), whole,
/// or not at all.
///
/// - PNG: depths that PNG does not have for the components (it has 8 and 16, and 1, 2 and 4 for grey) are scaled to
///   the next of 8 and 16 by repeating the bits downwards, and sBIT tells the depth: any PNG reader shows the picture
///   right, and picture_reader restores samples and depth.
/// - PNM, PAM: 2^depth - 1 (or format.maxval) as MAXVAL, two bytes a sample above 255. PBM inverts (1 is black there).
/// - TIFF: uncompressed contiguous strips, BitsPerSample = depth (samples of 1..7, 9..15 and 17..31 bits are packed),
///   BigTIFF when the picture needs it. 3 components, or 4 with alpha, are RGB; others are grey with extra samples.
///   TIFF to the standard output goes through an unnamed temporary file.
class picture_writer {
 public:
  /// Removes what was written unless finish() has returned.
  virtual ~picture_writer() = default;
  picture_writer(const picture_writer&) = delete;
  picture_writer& operator=(const picture_writer&) = delete;

  /// Starts a file. Without `kind` the extension tells it; for "-", the standard output, it is PBM, PGM or PPM when
  /// the picture fits into one of these, else PAM, else (signed or deeper than 16 bits) TIFF.
  /// @throws error invalid_argument (unknown extension, size or depth out of range), unsupported (the kind cannot
  /// hold the picture, see reason_against()), io.
  static std::unique_ptr<picture_writer> open(const std::string& path, const picture_format& format,
                                              std::optional<file_kind> kind = std::nullopt,
                                              const write_options& options = {});

  const picture_format& format() const noexcept { return format_; }
  file_kind kind() const noexcept { return kind_; }
  std::int64_t rows_left() const noexcept { return rows_left_; }

  /// Appends `count` rows from the first count * bytes_per_row() bytes of `rows`.
  /// @throws error invalid_argument for a count outside of 0..rows_left() or a sample that does not fit into the
  /// depth (or exceeds maxval); buffer_too_small when `rows` is shorter; io.
  void write_rows(std::int64_t count, std::span<const std::byte> rows);

  /// Completes the file and gives it its name.
  /// @throws error invalid_argument while rows are missing or when called twice, io.
  void finish();

 protected:
  picture_writer() = default;

  virtual void write_row(const std::byte* row) = 0;
  virtual void write_end() = 0;

  picture_format format_;
  file_kind kind_ = file_kind::png;
  std::int64_t rows_left_ = 0;
  bool finished_ = false;
};

}  // namespace gpuimg::examples
