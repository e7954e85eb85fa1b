#include "picture_io.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "byte_file.hpp"
#include "picture_codecs.hpp"
#include "sample_packing.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {

namespace {

void check_rows(const char* what, std::int64_t count, std::int64_t rows_left, std::size_t bytes,
                std::int64_t bytes_per_row) {
  if (count < 0 || count > rows_left) {
    throw error(errc::invalid_argument, std::string(what) + ": " + std::to_string(count) + " rows asked for, " +
                                            std::to_string(std::max<std::int64_t>(rows_left, 0)) + " are left");
  }
  const auto needed = static_cast<std::uint64_t>(count * bytes_per_row);
  if (bytes < needed) {
    throw error(errc::buffer_too_small, std::string(what) + ": " + std::to_string(count) + " rows take " +
                                            std::to_string(needed) + " bytes, the buffer has " + std::to_string(bytes));
  }
}

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin(), [](char c, std::byte b) {
           return static_cast<std::byte>(static_cast<unsigned char>(c)) == b;
         });
}

void check_format(const picture_format& format) {
  const auto refuse = [](const std::string& what, std::int64_t value, const std::string& range) {
    throw error(errc::invalid_argument,
                "picture_writer: " + what + " " + std::to_string(value) + " is outside of " + range);
  };
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (format.width < 1) refuse("width", format.width, "1.. (an empty picture has no file)");
  if (format.height < 1) refuse("height", format.height, "1.. (an empty picture has no file)");
  if (format.components < 1 || format.components > 65535) refuse("components", format.components, "1..65535");
  if (format.depth < 1 || format.depth > 32) refuse("depth", format.depth, "1..32");
  if (format.width > largest / format.components / 4) refuse("width", format.width, "64 bits for a row's bytes");
  if (format.height > largest / format.bytes_per_row()) refuse("height", format.height, "64 bits for all bytes");
  if (format.maxval != 0 && (format.is_signed || format.maxval > 65535 ||
                             std::bit_width(format.maxval) != static_cast<unsigned>(format.depth))) {
    refuse("maxval", format.maxval,
           "the unsigned numbers of exactly " + std::to_string(format.depth) + " bits (16 at most)");
  }
}

using opener = std::unique_ptr<picture_reader> (*)(input_file, const read_limits&);

/// Tells the kind from the first bytes.
opener find_opener(input_file& file) {
  using namespace std::string_view_literals;
  const auto magic = file.peek(8);
  if (magic.empty()) throw error(errc::truncated, file.name() + " is empty", 0);
  // A transfer that damages the first byte is found by libpng, which names it.
  if (starts_with(magic.subspan(1), "PNG")) return detail::open_png;
  for (const auto tiff : {"II\x2a\0"sv, "MM\0\x2a"sv, "II\x2b\0"sv, "MM\0\x2b"sv}) {
    if (starts_with(magic, tiff)) return detail::open_tiff;
  }
  if (starts_with(magic, "P7")) return detail::open_pam;
  if (magic.size() >= 2 && magic[0] == std::byte{'P'} && magic[1] >= std::byte{'1'} && magic[1] <= std::byte{'6'}) {
    return detail::open_pnm;
  }
  throw error(errc::unsupported, file.name() + ": the first bytes are those of neither PNG, PNM, PAM nor TIFF", 0);
}

/// The kind of file that holds `format` on a pipe, where nothing tells it.
file_kind kind_for_pipe(const picture_format& format) {
  for (const file_kind kind : {file_kind::pnm, file_kind::pam}) {
    if (reason_against(kind, format).empty()) return kind;
  }
  return file_kind::tiff;
}

file_kind resolve_pnm(file_kind kind, const picture_format& format) noexcept {
  if (kind != file_kind::pnm) return kind;
  return format.components == 3 ? file_kind::ppm : format.depth == 1 ? file_kind::pbm : file_kind::pgm;
}

}  // namespace

namespace detail {

void check_size(const std::string& name, const picture_format& format, const read_limits& limits) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  if (format.width < 1 || format.height < 1) {
    throw error(errc::corrupt,
                name + ": the picture is empty, " + std::to_string(format.width) + "x" + std::to_string(format.height));
  }
  if (format.width > largest / format.components / 4 || format.height > largest / format.bytes_per_row()) {
    throw error(errc::corrupt, name + ": a picture of " + std::to_string(format.width) + "x" +
                                   std::to_string(format.height) + " pixels of " + std::to_string(format.components) +
                                   " samples exceeds 64-bit sizes");
  }
  check_buffer(name, format.bytes_per_row(), 1, limits);
}

void check_buffer(const std::string& name, std::int64_t row_bytes, std::int64_t height, const read_limits& limits) {
  const auto row = static_cast<std::uint64_t>(row_bytes);
  const auto rows = static_cast<std::uint64_t>(height);
  if (row > 0 && rows > limits.buffer_bytes / row) {
    throw error(errc::out_of_memory, name + ": " + std::to_string(height) + " rows of " + std::to_string(row_bytes) +
                                         " bytes have to be in memory at once, above the limit of " +
                                         std::to_string(limits.buffer_bytes) + " bytes");
  }
}

}  // namespace detail

std::unique_ptr<picture_reader> picture_reader::open(const std::string& path, const read_limits& limits) {
  input_file file(path);
  const std::string name = file.name();
  const opener open_kind = find_opener(file);
  try {
    return open_kind(std::move(file), limits);
  } catch (const std::bad_alloc&) { throw error(errc::out_of_memory, name + ": not enough memory for its rows"); }
}

void picture_reader::read_rows(std::int64_t count, std::span<std::byte> rows) {
  check_rows("read_rows", count, rows_left_, rows.size(), format_.bytes_per_row());
  if (count == 0) return;
  // Set again on success: after a failure nothing is left to read.
  const std::int64_t left = std::exchange(rows_left_, 0) - count;
  for (std::int64_t row = 0; row < count; ++row) read_row(rows.data() + row * format_.bytes_per_row());
  if (left == 0) read_end();
  rows_left_ = left;
}

std::unique_ptr<picture_writer> picture_writer::open(const std::string& path, const picture_format& format,
                                                     std::optional<file_kind> kind, const write_options& options) {
  check_format(format);
  if (options.png_level < 0 || options.png_level > 9) {
    throw error(errc::invalid_argument,
                "picture_writer: PNG level " + std::to_string(options.png_level) + " is outside of 0..9");
  }
  if (!kind) kind = path == "-" ? kind_for_pipe(format) : kind_from_path(path);
  const std::string reason = reason_against(*kind, format);
  if (!reason.empty()) throw error(errc::unsupported, path + ": " + reason);
  try {
    switch (*kind) {
      case file_kind::png: return detail::create_png(path, format, options.png_level);
      case file_kind::tiff: return detail::create_tiff(path, format);
      default: return detail::create_netpbm(path, format, resolve_pnm(*kind, format));
    }
  } catch (const std::bad_alloc&) { throw error(errc::out_of_memory, path + ": not enough memory for its rows"); }
}

void picture_writer::write_rows(std::int64_t count, std::span<const std::byte> rows) {
  check_rows("write_rows", count, rows_left_, rows.size(), format_.bytes_per_row());
  if (count == 0) return;
  const std::int64_t samples = count * format_.samples_per_row();
  const std::int64_t bad = detail::first_outside(rows.data(), samples, format_.bytes_per_sample(), format_.depth,
                                                 format_.is_signed, format_.maxval);
  if (bad < samples) {
    throw error(errc::invalid_argument,
                "write_rows: sample " + std::to_string(bad) + " (bits of " +
                    std::to_string(detail::load_sample(rows.data(), bad, format_.bytes_per_sample())) +
                    ") is not a number of " + std::to_string(format_.depth) + " bits" +
                    (format_.maxval != 0 ? " of at most " + std::to_string(format_.maxval) : ""));
  }
  // Negative until all went well, which keeps finish() from completing a damaged file.
  const std::int64_t left = std::exchange(rows_left_, -1) - count;
  for (std::int64_t row = 0; row < count; ++row) write_row(rows.data() + row * format_.bytes_per_row());
  rows_left_ = left;
}

void picture_writer::finish() {
  if (finished_) throw error(errc::invalid_argument, "finish: the picture has been finished before");
  if (rows_left_ != 0) {
    throw error(errc::invalid_argument, rows_left_ < 0 ? "finish: writing has failed before"
                                                       : "finish: " + std::to_string(rows_left_) + " rows are missing");
  }
  finished_ = true;
  write_end();
}

}  // namespace gpuimg::examples
