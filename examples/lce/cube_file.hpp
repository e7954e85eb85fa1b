/// @file
/// Cubes in files, read and written a slab of rows at a time: ENVI, NumPy .npy and raw samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "envi_header.hpp"
#include "support/byte_file.hpp"

#include "gpuimg/codec/lce/cube.hpp"

namespace gpuimg::examples {

/// What the command line says of a file that does not say it itself.
struct cube_hints {
  std::optional<cube_layout> raw;   ///< of a raw file
  std::optional<interleave> order;  ///< of the axes of a .npy file
};

/// A cube file that is read in slabs.
class cube_reader {
 public:
  /// Opens `path`: an ENVI header or the file beside one, a .npy file, or a raw file when `hints.raw` is there.
  /// @throws error io, corrupt, unsupported; truncated or corrupt, when the size of the file is not what the header
  /// says
  cube_reader(const std::string& path, const cube_hints& hints);

  const cube_layout& layout() const noexcept { return layout_; }
  /// The ENVI header that the cube came with.
  const std::optional<envi_header>& header() const noexcept { return header_; }

  /// Rows y .. y + rows - 1 in the file's order, as the machine's numbers; valid until the call after the next, so that
  /// rows can be read while those before are at work. @throws error io
  lce::any_cube read_rows(std::int64_t y, std::int64_t rows);

 private:
  void open_envi(const std::string& header_path, const std::string& data_path);
  void open_npy(const std::string& path, std::optional<interleave> order);
  void check_size() const;

  cube_layout layout_;
  std::optional<envi_header> header_;
  std::unique_ptr<input_file> file_;
  std::array<std::vector<std::byte>, 2> rows_;
  std::size_t turn_ = 0;
};

/// A cube file that is written in slabs from the top down, little-endian; it appears with finish(), whole.
///
/// The extension tells the kind: .npy; .hdr, .img, .dat, .bsq, .bil or .bip is ENVI, with a header beside the samples;
/// any other, and the standard output, is raw.
class cube_writer {
 public:
  /// @param header  of which the fields that do not concern the samples' order are kept
  cube_writer(const std::string& path, const cube_layout& layout);

  /// A cube of `rows` rows in the file's order to decode into; valid until the call after the next, so that rows can be
  /// made while those before are written.
  lce::any_mutable_cube buffer(std::int64_t rows);

  /// Writes what buffer() gave as the rows from y on. @throws error io
  void write_rows(std::int64_t y, const lce::any_mutable_cube& rows);

  /// @param header  the ENVI header to write, if the file is of that kind
  void finish(const envi_header& header);

  bool is_envi() const noexcept { return !header_path_.empty(); }

 private:
  cube_layout layout_;
  std::string header_path_;
  std::unique_ptr<atomic_output_file> file_;
  std::uint64_t start_ = 0;
  std::array<std::vector<std::byte>, 2> rows_;
  std::size_t turn_ = 0;
};

}  // namespace gpuimg::examples
