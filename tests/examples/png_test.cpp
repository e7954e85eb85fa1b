// PNG files as other programs make them: palettes, transparent colours, interlacing, sBIT. Made with libpng here.
#include <cstdio>
#include <doctest/doctest.h>
#include <png.h>

#include "tests/examples/picture_fixtures.hpp"

#include "gpuimg/core/error.hpp"

using namespace gpuimg;
using namespace gpuimg::examples;
using namespace gpuimg::examples::test;

namespace {

struct png_recipe {
  int width = 0;
  int height = 0;
  int colour = PNG_COLOR_TYPE_GRAY;
  int depth = 8;
  int interlace = PNG_INTERLACE_NONE;
  std::vector<png_color> palette{};
  std::vector<png_byte> palette_alpha{};
  int transparent = -1;  // this grey, or this in all three colours
  int significant = 0;
};

/// Writes rows of samples: one byte each below 16 bits, else big-endian pairs. libpng's own error handling ends the
/// program, which is right for a test that misuses it.
void write_png(const std::string& path, const png_recipe& recipe, const bytes& samples) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, static_cast<png_uint_32>(recipe.width), static_cast<png_uint_32>(recipe.height), recipe.depth,
               recipe.colour, recipe.interlace, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  if (!recipe.palette.empty()) png_set_PLTE(png, info, recipe.palette.data(), static_cast<int>(recipe.palette.size()));
  const auto value = static_cast<png_uint_16>(recipe.transparent);
  const png_color_16 transparent{0, value, value, value, value};
  if (recipe.transparent >= 0) png_set_tRNS(png, info, nullptr, 0, &transparent);
  if (!recipe.palette_alpha.empty()) {
    png_set_tRNS(png, info, recipe.palette_alpha.data(), static_cast<int>(recipe.palette_alpha.size()), nullptr);
  }
  const auto bits = static_cast<png_byte>(recipe.significant);
  const png_color_8 significant{bits, bits, bits, bits, bits};
  if (bits > 0) png_set_sBIT(png, info, &significant);
  png_write_info(png, info);
  png_set_packing(png);
  std::vector<png_bytep> rows;
  bytes copy = samples;
  for (int y = 0; y < recipe.height; ++y) {
    rows.push_back(reinterpret_cast<png_bytep>(copy.data()) +
                   static_cast<std::size_t>(y) * copy.size() / static_cast<std::size_t>(recipe.height));
  }
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

picture written_and_read(const png_recipe& recipe, const bytes& samples) {
  const temporary_folder folder;
  write_png(folder.file("a.png"), recipe, samples);
  return read_picture(folder.file("a.png"));
}

bytes to_bytes(const std::vector<int>& values) {
  bytes result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

}  // namespace

TEST_SUITE("PNG") {
  TEST_CASE("palettes become RGB, with transparency RGBA, at every depth of the index") {
    for (const int depth : {1, 2, 4, 8}) {
      CAPTURE(depth);
      png_recipe recipe{.width = 3, .height = 1, .colour = PNG_COLOR_TYPE_PALETTE, .depth = depth};
      recipe.palette = {{1, 2, 3}, {250, 251, 252}};
      const bytes indices = to_bytes({1, 0, 1});
      picture result = written_and_read(recipe, indices);
      CHECK(result.format == picture_format{.width = 3, .height = 1, .components = 3, .depth = 8});
      CHECK(result.samples == to_bytes({250, 251, 252, 1, 2, 3, 250, 251, 252}));
      recipe.palette_alpha = {77};
      result = written_and_read(recipe, indices);
      CHECK(result.format == picture_format{.width = 3, .height = 1, .components = 4, .depth = 8, .has_alpha = true});
      CHECK(result.samples == to_bytes({250, 251, 252, 255, 1, 2, 3, 77, 250, 251, 252, 255}));
    }
  }

  TEST_CASE("a transparent value becomes alpha; small grey is scaled to 8 bits then") {
    CHECK(written_and_read({.width = 3, .height = 1, .depth = 2, .transparent = 2}, to_bytes({3, 2, 1})).samples ==
          to_bytes({255, 255, 170, 0, 85, 255}));
    const picture rgb = written_and_read({.width = 2, .height = 1, .colour = PNG_COLOR_TYPE_RGB, .transparent = 9},
                                         to_bytes({9, 9, 9, 9, 9, 8}));
    CHECK(rgb.format.has_alpha);
    CHECK(rgb.samples == to_bytes({9, 9, 9, 0, 9, 9, 8, 255}));
    const picture deep =
        written_and_read({.width = 2, .height = 1, .depth = 16, .transparent = 0x0102}, to_bytes({1, 2, 1, 3}));
    CHECK(deep.format == picture_format{.width = 2, .height = 1, .components = 2, .depth = 16, .has_alpha = true});
    bytes expected(8);
    const std::uint32_t values[] = {0x0102, 0, 0x0103, 0xffff};
    for (int i = 0; i < 4; ++i) put(expected, deep.format, i, values[i]);
    CHECK(deep.samples == expected);
  }

  TEST_CASE("interlaced pictures of all small sizes equal plain ones") {
    for (int width = 1; width <= 9; ++width) {
      for (int height = 1; height <= 9; ++height) {
        for (const int colour : {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB_ALPHA}) {
          png_recipe recipe{.width = width, .height = height, .colour = colour};
          const int components = colour == PNG_COLOR_TYPE_GRAY ? 1 : 4;
          const picture source =
              random_picture({.width = width, .height = height, .components = components, .depth = 8});
          CHECK(written_and_read(recipe, source.samples).samples == source.samples);
          recipe.interlace = PNG_INTERLACE_ADAM7;
          CHECK(written_and_read(recipe, source.samples).samples == source.samples);
        }
      }
    }
  }

  TEST_CASE("sBIT is believed when the samples agree with it") {
    const png_recipe recipe{.width = 2, .height = 2, .significant = 3};
    const picture scaled = written_and_read(recipe, to_bytes({0, 255, 0b10110110, 0b00100100}));
    CHECK(scaled.format.depth == 3);
    CHECK(scaled.samples == to_bytes({0, 7, 5, 1}));
    const picture other = written_and_read(recipe, to_bytes({0, 255, 0b10110110, 0b00100101}));
    CHECK(other.format.depth == 8);
    CHECK(other.samples == to_bytes({0, 255, 0b10110110, 0b00100101}));
  }

  TEST_CASE("a size that the file cannot hold is refused before memory is taken") {
    const temporary_folder folder;
    const std::string path = folder.file("a.png");
    write_png(path, {.width = 8, .height = 8, .interlace = PNG_INTERLACE_ADAM7}, bytes(64));
    bytes file = read_file(path);
    // Width and height of IHDR, and a checksum to go with them, so that the size itself is what is refused.
    for (const std::size_t at : {std::size_t{16}, std::size_t{20}}) {
      file[at] = std::byte{0x7f};
      file[at + 1] = std::byte{0xff};
    }
    std::uint32_t crc = ~0U;
    for (std::size_t i = 12; i < 29; ++i) {
      crc ^= std::to_integer<std::uint32_t>(file[i]);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) file[29 + i] = static_cast<std::byte>(~crc >> (24 - 8 * i));
    write_file(path, file);
    CHECK_THROWS_WITH_AS(read_picture(path), doctest::Contains("cannot be in"), error);
    CHECK_THROWS_WITH_AS(read_picture(path, 1, {.buffer_bytes = 1 << 20}), doctest::Contains("above the limit"), error);
  }
}
