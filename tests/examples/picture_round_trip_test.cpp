// Pictures of every kind of file, number of components, depth and signedness come back as they were written.
#include <array>
#include <bit>
#include <cstring>
#include <doctest/doctest.h>

#include "tests/examples/picture_fixtures.hpp"

#include "gpuimg/core/error.hpp"

using namespace gpuimg;
using namespace gpuimg::examples;
using namespace gpuimg::examples::test;

namespace {

void check_round_trip(const temporary_folder& folder, file_kind kind, const picture_format& format) {
  CAPTURE(name(kind));
  CAPTURE(format.width);
  CAPTURE(format.height);
  CAPTURE(format.components);
  CAPTURE(format.depth);
  CAPTURE(format.is_signed);
  const std::string path = folder.file("picture");
  const picture source = random_picture(format);
  write_picture(path, source, kind);
  const picture result = read_picture(path);
  CHECK(result.format == source.format);
  CHECK(result.samples == source.samples);
  CHECK(folder.entries() == 1);
}

constexpr std::array kinds{file_kind::png, file_kind::pbm, file_kind::pgm, file_kind::ppm,
                           file_kind::pnm, file_kind::pam, file_kind::tiff};

errc code_of(const auto& call) {
  try {
    call();
  } catch (const error& caught) { return caught.code(); }
  FAIL("no error");
  return errc::device;
}

}  // namespace

TEST_SUITE("picture round trip") {
  TEST_CASE("every kind, depth, signedness and number of components") {
    const temporary_folder folder;
    int written = 0;
    for (const file_kind kind : kinds) {
      for (int depth = 1; depth <= 32; ++depth) {
        for (const int components : {1, 2, 3, 4, 5, 17}) {
          for (const bool is_signed : {false, true}) {
            picture_format format{.width = 13, .height = 5, .components = components, .depth = depth};
            format.is_signed = is_signed;
            // PNG has no two or four components without alpha, and no alpha besides these.
            format.has_alpha = components == 2 || components == 4;
            if (kind == file_kind::pgm && depth == 1) continue;
            if (!reason_against(kind, format).empty()) continue;
            check_round_trip(folder, kind, format);
            ++written;
          }
        }
      }
    }
    CHECK(written > 500);
  }

  TEST_CASE("odd, wide, tall and tiny pictures") {
    const temporary_folder folder;
    constexpr std::int64_t sizes[][2] = {{1, 1},   {1, 2},   {2, 1},   {7, 1},    {8, 1},    {9, 1},     {1, 17},
                                         {17, 16}, {255, 3}, {3, 257}, {4099, 1}, {1, 4099}, {1, 70000}, {70000, 1}};
    for (const auto& [width, height] : sizes) {
      for (const file_kind kind : {file_kind::png, file_kind::pnm, file_kind::pam, file_kind::tiff}) {
        for (const int depth : {1, 8, 12, 16}) {
          check_round_trip(folder, kind, {.width = width, .height = height, .components = 1, .depth = depth});
        }
        check_round_trip(folder, kind, {.width = width, .height = height, .components = 3, .depth = 8});
      }
    }
  }

  TEST_CASE("PNM and PAM keep a maxval that is not 2^n - 1") {
    const temporary_folder folder;
    for (const std::uint32_t maxval : {2U, 5U, 100U, 254U, 256U, 1000U, 65534U}) {
      picture_format format{
          .width = 9, .height = 4, .components = 1, .depth = static_cast<int>(std::bit_width(maxval))};
      format.maxval = maxval;
      check_round_trip(folder, file_kind::pgm, format);
      check_round_trip(folder, file_kind::pam, format);
    }
    picture_format format{.width = 9, .height = 4, .components = 1, .depth = 8};
    format.maxval = 100;
    CHECK(code_of([&] { picture_writer::open(folder.file("x.pgm"), format); }) == errc::invalid_argument);
  }

  TEST_CASE("alpha is told apart from other components where the kind can") {
    const temporary_folder folder;
    for (const file_kind kind : {file_kind::pam, file_kind::tiff}) {
      for (const int components : {2, 4, 6}) {
        picture_format format{.width = 4, .height = 4, .components = components, .depth = 8};
        check_round_trip(folder, kind, format);
        format.has_alpha = kind == file_kind::tiff || components != 6;
        check_round_trip(folder, kind, format);
      }
    }
  }

  TEST_CASE("a scaled PNG has the full range for readers that know no sBIT") {
    const temporary_folder folder;
    const picture_format format{.width = 4, .height = 1, .components = 1, .depth = 3};
    picture source{format, {std::byte{0}, std::byte{7}, std::byte{5}, std::byte{2}}};
    const std::string path = folder.file("scaled.png");
    write_picture(path, source);
    CHECK(read_picture(path) == source);
    // With no memory for the whole picture sBIT is not honoured: the samples are those of the file.
    const picture tall = random_picture({.width = 40, .height = 40, .components = 1, .depth = 12});
    write_picture(path, tall);
    const picture wide = read_picture(path, 1, {.buffer_bytes = 400});
    REQUIRE(wide.format.depth == 16);
    for (std::size_t i = 0; i < tall.samples.size(); i += 2) {
      std::uint16_t narrow = 0;
      std::uint16_t scaled = 0;
      std::memcpy(&narrow, &tall.samples[i], 2);
      std::memcpy(&scaled, &wide.samples[i], 2);
      if (scaled != (narrow << 4 | narrow >> 8)) FAIL("sample ", i / 2, ": ", narrow, " became ", scaled);
    }
  }

  TEST_CASE("the extension tells the kind, or the message lists the known ones") {
    CHECK(kind_from_path("a.png") == file_kind::png);
    CHECK(kind_from_path("/some.where/a.b.TIFF") == file_kind::tiff);
    CHECK(kind_from_path("a.Ppm") == file_kind::ppm);
    for (const std::string path : {"a", "a.", "a.jpg", "dir.png/a", ""}) {
      CAPTURE(path);
      try {
        kind_from_path(path);
        FAIL("no error");
      } catch (const error& caught) {
        CHECK(caught.code() == errc::invalid_argument);
        CHECK(std::string(caught.what()).find(".png .pbm .pgm .ppm .pnm .pam .tif .tiff") != std::string::npos);
      }
    }
  }

  TEST_CASE("what a kind cannot hold is refused before a file is made") {
    const temporary_folder folder;
    const auto refused = [&](const char* file, const picture_format& format) {
      return code_of([&] { picture_writer::open(folder.file(file), format); });
    };
    const picture_format grey{.width = 2, .height = 2, .components = 1, .depth = 8};
    auto with = [&](auto member, auto value) {
      picture_format format = grey;
      format.*member = value;
      return format;
    };
    CHECK(refused("a.png", with(&picture_format::components, 5)) == errc::unsupported);
    CHECK(refused("a.png", with(&picture_format::depth, 17)) == errc::unsupported);
    CHECK(refused("a.png", with(&picture_format::is_signed, true)) == errc::unsupported);
    CHECK(refused("a.png", with(&picture_format::width, std::int64_t{1} << 31)) == errc::unsupported);
    CHECK(refused("a.pbm", grey) == errc::unsupported);
    CHECK(refused("a.ppm", grey) == errc::unsupported);
    CHECK(refused("a.pnm", with(&picture_format::components, 2)) == errc::unsupported);
    CHECK(refused("a.pam", with(&picture_format::is_signed, true)) == errc::unsupported);
    CHECK(refused("a.tif", with(&picture_format::height, std::int64_t{1} << 32)) == errc::unsupported);
    CHECK(refused("a.tif", with(&picture_format::depth, 33)) == errc::invalid_argument);
    CHECK(refused("a.tif", with(&picture_format::depth, 0)) == errc::invalid_argument);
    CHECK(refused("a.tif", with(&picture_format::width, 0)) == errc::invalid_argument);
    CHECK(refused("a.tif", with(&picture_format::components, 65536)) == errc::invalid_argument);
    CHECK(folder.entries() == 0);
  }

  TEST_CASE("a sample that does not fit, a row too many or a missing row keeps the file from appearing") {
    const temporary_folder folder;
    const picture_format format{.width = 2, .height = 2, .components = 1, .depth = 4};
    const std::string path = folder.file("a.png");
    const bytes good(2, std::byte{15});
    const bytes bad{std::byte{15}, std::byte{16}};
    {
      const auto writer = picture_writer::open(path, format);
      CHECK(code_of([&] { writer->write_rows(1, bad); }) == errc::invalid_argument);
      CHECK(code_of([&] { writer->write_rows(2, good); }) == errc::buffer_too_small);
      CHECK(code_of([&] { writer->write_rows(3, good); }) == errc::invalid_argument);
      CHECK(code_of([&] { writer->write_rows(-1, good); }) == errc::invalid_argument);
      writer->write_rows(1, good);
      CHECK(code_of([&] { writer->finish(); }) == errc::invalid_argument);
      CHECK(folder.entries() == 1);
      CHECK_FALSE(std::filesystem::exists(path));
    }
    CHECK(folder.entries() == 0);
    for (const int depth : {3, 12, 20}) {
      picture_format narrow{.width = 1, .height = 1, .components = 1, .depth = depth};
      narrow.is_signed = true;
      const auto writer = picture_writer::open(folder.file("a.tif"), narrow);
      bytes sample(4);
      put(sample, narrow, 0, 1U << (depth - 1));
      CHECK(code_of([&] { writer->write_rows(1, sample); }) == errc::invalid_argument);
      put(sample, narrow, 0, 0U - (1U << (depth - 1)));
      writer->write_rows(1, sample);
    }
  }
}
