// Damaged picture files: an error, or a picture, and never anything else. Run under the sanitizers by CI.
#include <cstdlib>
#include <doctest/doctest.h>

#include "tests/examples/picture_fixtures.hpp"

#include "gpuimg/core/error.hpp"

using namespace gpuimg;
using namespace gpuimg::examples;
using namespace gpuimg::examples::test;

namespace {

constexpr read_limits small{.buffer_bytes = std::uint64_t{1} << 22};

/// Whether the file is read to its end; any exception but gpuimg::error fails the test.
bool is_readable(const std::string& path) {
  try {
    const auto reader = picture_reader::open(path, small);
    bytes row(static_cast<std::size_t>(reader->format().bytes_per_row()));
    // A damaged height may promise very many rows; those of a plain bitmap cost little each.
    while (reader->rows_left() > 0) reader->read_rows(1, row);
    return true;
  } catch (const error&) { return false; }
}

struct sample_file {
  file_kind kind;
  picture_format format;
};

const std::vector<sample_file>& sample_files() {
  static const std::vector<sample_file> files{
      {file_kind::png, {.width = 13, .height = 9, .components = 3, .depth = 8}},
      {file_kind::png, {.width = 11, .height = 7, .components = 1, .depth = 2}},
      {file_kind::png, {.width = 5, .height = 7, .components = 4, .depth = 12, .has_alpha = true}},
      {file_kind::pnm, {.width = 13, .height = 9, .components = 1, .depth = 1}},
      {file_kind::pnm, {.width = 6, .height = 9, .components = 3, .depth = 10}},
      {file_kind::pam, {.width = 4, .height = 5, .components = 5, .depth = 8}},
      {file_kind::tiff, {.width = 13, .height = 9, .components = 3, .depth = 8}},
      {file_kind::tiff, {.width = 7, .height = 5, .components = 2, .depth = 11, .is_signed = true}},
  };
  return files;
}

/// The folder of real images, if there is one.
std::filesystem::path data_folder() {
  const char* set = std::getenv("GPUIMG_DATA");
  return std::filesystem::path(set != nullptr ? set : GPUIMG_SOURCE_DIR "/../shared/data") / "images";
}

}  // namespace

TEST_SUITE("damaged pictures") {
  TEST_CASE("cut at every byte") {
    const temporary_folder folder;
    const std::string path = folder.file("cut");
    for (const sample_file& sample : sample_files()) {
      const file_kind kind = sample.kind;
      CAPTURE(name(kind));
      write_picture(path, random_picture(sample.format), kind);
      const bytes whole = read_file(path);
      CHECK(is_readable(path));
      // The last four bytes of a TIFF are the offset of the next directory, which is not read.
      const std::size_t needed = whole.size() - (kind == file_kind::tiff ? 4 : 0);
      for (std::size_t length = 0; length < needed; ++length) {
        write_file(path, std::span(whole).first(length));
        if (is_readable(path)) FAIL_CHECK("cut to ", length, " of ", whole.size(), " bytes and read");
      }
    }
  }

  TEST_CASE("every byte changed, and many at once") {
    const temporary_folder folder;
    const std::string path = folder.file("changed");
    int refused = 0;
    for (const auto& [kind, format] : sample_files()) {
      write_picture(path, random_picture(format), kind);
      const bytes whole = read_file(path);
      for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const std::byte change : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
          bytes damaged = whole;
          damaged[at] ^= change;
          write_file(path, damaged);
          refused += is_readable(path) ? 0 : 1;
        }
      }
      std::mt19937 random(7);
      for (int round = 0; round < 200; ++round) {
        bytes damaged = whole;
        for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
        write_file(path, damaged);
        refused += is_readable(path) ? 0 : 1;
      }
    }
    CHECK(refused > 1000);
  }

  TEST_CASE("after an error nothing more is read") {
    const temporary_folder folder;
    const std::string path = folder.file("short.png");
    write_picture(path, random_picture({.width = 300, .height = 300, .components = 3, .depth = 8}));
    bytes file = read_file(path);
    file.resize(file.size() / 2);
    write_file(path, file);
    const auto reader = picture_reader::open(path);
    bytes rows(static_cast<std::size_t>(reader->format().bytes()));
    CHECK_THROWS_AS(reader->read_rows(300, rows), error);
    CHECK(reader->rows_left() == 0);
    CHECK_THROWS_AS(reader->read_rows(1, rows), error);
  }

  TEST_CASE("PngSuite: what is right reads and comes back, what is broken is refused") {
    const auto folder = data_folder() / "odd";
    if (!std::filesystem::exists(folder / "pngsuite")) {
      MESSAGE("skipped: no ", (folder / "pngsuite").string());
      return;
    }
    const temporary_folder made;
    int read = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "pngsuite")) {
      if (entry.path().extension() != ".png") continue;
      CAPTURE(entry.path().string());
      const picture source = read_picture(entry.path().string());
      for (const file_kind kind : {file_kind::png, file_kind::pam, file_kind::tiff}) {
        write_picture(made.file("again"), source, kind);
        CHECK(read_picture(made.file("again")) == source);
      }
      ++read;
    }
    CHECK(read > 100);
    int refused = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "pngsuite_broken")) {
      if (entry.path().extension() != ".png") continue;
      CAPTURE(entry.path().string());
      CHECK_FALSE(is_readable(entry.path().string()));
      ++refused;
    }
    CHECK(refused > 10);
  }
}
