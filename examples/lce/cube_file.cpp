#include "cube_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "npy_header.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t longest_header = 16 << 20;

std::string extension(const std::string& path) {
  std::string text = fs::path(path).extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return text;
}

/// The first of some names that is a file, or nothing.
std::optional<std::string> first_file(const std::vector<fs::path>& names) {
  for (const auto& name : names) {
    std::error_code fault;
    if (fs::is_regular_file(name, fault)) { return name.string(); }
  }
  return std::nullopt;
}

std::optional<std::string> header_beside(const std::string& path) {
  return first_file({path + ".hdr", fs::path(path).replace_extension(".hdr"), path + ".HDR"});
}

std::optional<std::string> data_beside(const std::string& header_path) {
  std::vector<fs::path> names;
  const auto stem = fs::path(header_path).replace_extension();
  names.push_back(stem);
  for (const char* end : {".raw", ".img", ".dat", ".bsq", ".bil", ".bip", ".bin"}) {
    names.emplace_back(stem.string() + end);
  }
  return first_file(names);
}

void swap_bytes(std::span<std::byte> samples) noexcept {
  for (std::size_t i = 0; i + 1 < samples.size(); i += 2) { std::swap(samples[i], samples[i + 1]); }
}

/// Runs of a slab: of BSQ one a band, else one.
struct slab_runs {
  std::int64_t count;
  std::uint64_t bytes;  ///< of a run
  std::uint64_t first;  ///< bytes from the first sample of the file
  std::uint64_t pitch;  ///< bytes from run to run in the file

  slab_runs(const cube_layout& layout, std::int64_t y, std::int64_t rows) {
    const auto row = static_cast<std::uint64_t>(layout.width * layout.sample_bytes());
    const auto whole = layout.order == interleave::bsq ? row : row * static_cast<std::uint64_t>(layout.bands);
    count = layout.order == interleave::bsq ? layout.bands : 1;
    bytes = whole * static_cast<std::uint64_t>(rows);
    first = whole * static_cast<std::uint64_t>(y);
    pitch = row * static_cast<std::uint64_t>(layout.height);
  }
};

/// A packed cube of a slab's rows at `data`.
template <class Byte>
lce::basic_cube<Byte> packed_rows(const cube_layout& layout, std::int64_t rows, Byte* data) {
  const cube_view<std::uint8_t> shape(nullptr, layout.width, rows, layout.bands, layout.order);
  lce::basic_cube<Byte> cube;
  cube.data = data;
  cube.width = layout.width;
  cube.height = rows;
  cube.bands = layout.bands;
  cube.x_stride = shape.x_stride * layout.sample_bytes();
  cube.y_stride = shape.y_stride * layout.sample_bytes();
  cube.band_stride = shape.band_stride * layout.sample_bytes();
  cube.type = layout.type;
  return cube;
}

std::size_t slab_bytes(const cube_layout& layout, std::int64_t rows) {
  return static_cast<std::size_t>(layout.width * rows * layout.bands * layout.sample_bytes());
}

}  // namespace

cube_reader::cube_reader(const std::string& path, const cube_hints& hints) {
  if (extension(path) == ".npy") {
    open_npy(path, hints.order);
  } else if (hints.raw) {
    layout_ = *hints.raw;
    file_ = std::make_unique<input_file>(path);
  } else if (extension(path) == ".hdr") {
    const auto data = data_beside(path);
    if (!data) { throw error(errc::io, path + ": the file with the samples is not beside it"); }
    open_envi(path, *data);
  } else if (const auto header = header_beside(path)) {
    open_envi(*header, path);
  } else {
    throw error(errc::invalid_argument, path + ": there is no ENVI header beside it; tell --dims and --type");
  }
  check_size();
}

void cube_reader::open_envi(const std::string& header_path, const std::string& data_path) {
  const auto bytes = input_file(header_path).read_all(longest_header);
  try {
    header_.emplace(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    layout_ = header_->layout();
  } catch (const error& e) { throw error(e.code(), header_path + ": " + e.what()); }
  file_ = std::make_unique<input_file>(data_path);
}

void cube_reader::open_npy(const std::string& path, std::optional<interleave> order) {
  file_ = std::make_unique<input_file>(path);
  layout_ = read_npy_header(*file_, order.value_or(interleave::bsq));
}

void cube_reader::check_size() const {
  const std::uint64_t need = layout_.offset + layout_.bytes();
  if (!file_->size() || *file_->size() == need) { return; }
  throw error(*file_->size() < need ? errc::truncated : errc::corrupt,
              file_->name() + " has " + std::to_string(*file_->size()) + " bytes; " + std::to_string(layout_.offset) +
                  " + " + std::to_string(layout_.width) + " x " + std::to_string(layout_.height) + " x " +
                  std::to_string(layout_.bands) + " samples of " + std::to_string(layout_.sample_bytes()) +
                  " bytes are " + std::to_string(need));
}

lce::any_cube cube_reader::read_rows(std::int64_t y, std::int64_t rows) {
  auto& buffer = rows_[turn_++ % rows_.size()];
  buffer.resize(slab_bytes(layout_, rows));
  const slab_runs runs(layout_, y, rows);
  if (runs.count > 1 && rows != layout_.height) { file_->make_seekable(); }
  std::byte* to = buffer.data();
  for (std::int64_t i = 0; i < runs.count; ++i, to += runs.bytes) {
    const std::uint64_t at = layout_.offset + runs.first + static_cast<std::uint64_t>(i) * runs.pitch;
    if (file_->seekable() && file_->position() != at) { file_->seek(at); }
    file_->read_exactly({to, static_cast<std::size_t>(runs.bytes)});
  }
  if (layout_.big_endian && layout_.sample_bytes() == 2) { swap_bytes(buffer); }
  return packed_rows<const std::byte>(layout_, rows, buffer.data());
}

cube_writer::cube_writer(const std::string& path, const cube_layout& layout) : layout_(layout) {
  layout_.offset = 0;
  layout_.big_endian = false;
  const std::string end = extension(path);
  std::string data_path = path;
  if (end == ".hdr") {
    header_path_ = path;
    data_path = fs::path(path).replace_extension(".raw").string();
  } else if (end == ".img" || end == ".dat" || end == ".bsq" || end == ".bil" || end == ".bip") {
    header_path_ = fs::path(path).replace_extension(".hdr").string();
  }
  file_ = std::make_unique<atomic_output_file>(data_path);
  if (layout_.order == interleave::bsq) { file_->make_seekable(); }
  if (end == ".npy") {
    const auto header = write_npy_header(layout_);
    file_->write(std::span(header));
    start_ = header.size();
  }
}

lce::any_mutable_cube cube_writer::buffer(std::int64_t rows) {
  auto& buffer = rows_[turn_++ % rows_.size()];
  buffer.resize(slab_bytes(layout_, rows));
  return packed_rows<std::byte>(layout_, rows, buffer.data());
}

void cube_writer::write_rows(std::int64_t y, const lce::any_mutable_cube& rows) {
  const slab_runs runs(layout_, y, rows.height);
  const std::byte* from = rows.data;
  for (std::int64_t i = 0; i < runs.count; ++i, from += runs.bytes) {
    const std::uint64_t at = start_ + runs.first + static_cast<std::uint64_t>(i) * runs.pitch;
    if (file_->position() != at) { file_->seek(at); }
    file_->write({from, static_cast<std::size_t>(runs.bytes)});
  }
}

void cube_writer::finish(const envi_header& header) {
  if (is_envi()) {
    atomic_output_file text(header_path_);
    text.write(header.text());
    text.commit();
  }
  file_->commit();
}

}  // namespace gpuimg::examples
