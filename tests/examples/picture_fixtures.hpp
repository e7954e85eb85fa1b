/// @file
/// What the tests of picture files share: a folder that vanishes, pictures with random samples, whole-file access.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "support/picture_io.hpp"

namespace gpuimg::examples::test {

using bytes = std::vector<std::byte>;

/// An empty folder for one test.
class temporary_folder {
 public:
  temporary_folder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("gpuimg-test-" + std::to_string(getpid()) + "-" + std::to_string(++count));
    std::filesystem::create_directories(path_);
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

struct picture {
  picture_format format;
  bytes samples;

  bool operator==(const picture&) const = default;
};

inline void put(bytes& samples, const picture_format& format, std::int64_t index, std::uint32_t value) {
  for (int i = 0; i < format.bytes_per_sample(); ++i) {
    const int shift = std::endian::native == std::endian::little ? 8 * i : 8 * (format.bytes_per_sample() - 1 - i);
    samples[static_cast<std::size_t>(index * format.bytes_per_sample() + i)] = static_cast<std::byte>(value >> shift);
  }
}

/// Random samples over the whole range of the format; the first are its extremes.
inline picture random_picture(const picture_format& format, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  picture result{format, bytes(static_cast<std::size_t>(format.bytes()))};
  const std::uint64_t values = format.maxval != 0 ? format.maxval + std::uint64_t{1} : std::uint64_t{1} << format.depth;
  const std::uint32_t lowest = format.is_signed ? 0U - (1U << (format.depth - 1)) : 0U;
  const std::int64_t count = format.samples_per_row() * format.height;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto above = static_cast<std::uint32_t>(i == 0 ? 0 : i == 1 ? values - 1 : random() % values);
    put(result.samples, format, i, lowest + above);
  }
  return result;
}

/// Reads a file by `step` rows at a time.
inline picture read_picture(const std::string& path, std::int64_t step = 3, const read_limits& limits = {}) {
  const auto reader = picture_reader::open(path, limits);
  const std::int64_t row = reader->format().bytes_per_row();
  picture result{reader->format(), {}};
  while (reader->rows_left() > 0) {
    const std::int64_t count = std::min(step, reader->rows_left());
    const std::size_t done = result.samples.size();
    result.samples.resize(done + static_cast<std::size_t>(count * row));
    reader->read_rows(count, std::span(result.samples).subspan(done));
  }
  return result;
}

inline void write_picture(const std::string& path, const picture& source, std::optional<file_kind> kind = std::nullopt,
                          std::int64_t step = 2) {
  const auto writer = picture_writer::open(path, source.format, kind);
  const std::int64_t row = source.format.bytes_per_row();
  std::int64_t done = 0;
  while (writer->rows_left() > 0) {
    const std::int64_t count = std::min(step, writer->rows_left());
    writer->write_rows(count, std::span(source.samples).subspan(static_cast<std::size_t>(done * row)));
    done += count;
  }
  writer->finish();
}

inline bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

inline void write_file(const std::string& path, std::span<const std::byte> contents) {
  // Some file systems flush a file that is truncated and written again, which would take most of the tests' time.
  if (std::filesystem::is_regular_file(path)) std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
}

inline void write_file(const std::string& path, const std::string& text) {
  write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace gpuimg::examples::test
