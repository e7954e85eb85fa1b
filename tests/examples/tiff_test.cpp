// TIFF files as other programs lay them out: made with libtiff here, in every layout that is read.
#include <doctest/doctest.h>
#include <tiffio.h>

#include "support/sample_packing.hpp"
#include "tests/examples/picture_fixtures.hpp"

#include "gpuimg/core/error.hpp"

using namespace gpuimg;
using namespace gpuimg::examples;
using namespace gpuimg::examples::test;

namespace {

struct layout {
  const char* mode = "w";
  int compression = COMPRESSION_NONE;
  bool is_planar = false;
  std::uint32_t tile_width = 0;  // 0 for strips
  std::uint32_t tile_height = 0;
  std::uint32_t rows_per_strip = 4;
  int photometric = -1;
  int sample_format = -1;
};

/// `count` samples as libtiff takes them.
bytes pack(const bytes& samples, const picture_format& format) {
  const std::int64_t count = static_cast<std::int64_t>(samples.size()) / format.bytes_per_sample();
  if (format.depth == 8 * format.bytes_per_sample()) return samples;
  bytes packed(static_cast<std::size_t>((count * format.depth + 7) / 8));
  detail::pack_bits(samples.data(), count, format.depth, format.bytes_per_sample(), packed.data());
  return packed;
}

/// The samples of a rectangle, of one plane or (-1) all; outside of the picture the edge is repeated.
bytes cut(const picture& source, std::int64_t x0, std::int64_t y, std::int64_t width, int plane) {
  const auto size = static_cast<std::size_t>(source.format.bytes_per_sample());
  bytes result;
  for (std::int64_t x = x0; x < x0 + width; ++x) {
    const std::int64_t pixel =
        std::min(y, source.format.height - 1) * source.format.width + std::min(x, source.format.width - 1);
    for (int c = 0; c < source.format.components; ++c) {
      if (plane >= 0 && c != plane) continue;
      const auto at =
          source.samples.begin() +
          static_cast<std::ptrdiff_t>(static_cast<std::size_t>(pixel * source.format.components + c) * size);
      result.insert(result.end(), at, at + static_cast<std::ptrdiff_t>(size));
    }
  }
  return result;
}

void set_fields(TIFF* tiff, const picture_format& format, const layout& how) {
  const bool is_rgb = format.components >= 3;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(format.width));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(format.height));
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, format.depth);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, format.components);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT,
               how.sample_format >= 0 ? how.sample_format
               : format.is_signed     ? SAMPLEFORMAT_INT
                                      : SAMPLEFORMAT_UINT);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
               how.photometric >= 0 ? how.photometric
               : is_rgb             ? PHOTOMETRIC_RGB
                                    : PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, how.is_planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, how.compression);
  const std::vector<std::uint16_t> extra(static_cast<std::size_t>(format.components - (is_rgb ? 3 : 1)),
                                         format.has_alpha ? EXTRASAMPLE_ASSOCALPHA : EXTRASAMPLE_UNSPECIFIED);
  if (!extra.empty()) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(extra.size()), extra.data());
}

void write_tiff(const std::string& path, const picture& source, const layout& how) {
  const picture_format& format = source.format;
  TIFF* tiff = TIFFOpen(path.c_str(), how.mode);
  REQUIRE(tiff != nullptr);
  set_fields(tiff, format, how);
  const int planes = how.is_planar ? format.components : 1;
  if (how.tile_width == 0) {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, how.rows_per_strip);
    for (int plane = 0; plane < planes; ++plane) {
      for (std::int64_t y = 0; y < format.height; ++y) {
        bytes row = pack(cut(source, 0, y, format.width, how.is_planar ? plane : -1), format);
        REQUIRE(TIFFWriteScanline(tiff, row.data(), static_cast<std::uint32_t>(y), static_cast<std::uint16_t>(plane)) ==
                1);
      }
    }
  } else {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, how.tile_width);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, how.tile_height);
    for (int plane = 0; plane < planes; ++plane) {
      for (std::uint32_t y = 0; y < format.height; y += how.tile_height) {
        for (std::uint32_t x = 0; x < format.width; x += how.tile_width) {
          bytes tile;
          for (std::uint32_t row = 0; row < how.tile_height; ++row) {
            const bytes part = pack(cut(source, x, y + row, how.tile_width, how.is_planar ? plane : -1), format);
            tile.insert(tile.end(), part.begin(), part.end());
          }
          REQUIRE(TIFFWriteTile(tiff, tile.data(), x, y, 0, static_cast<std::uint16_t>(plane)) > 0);
        }
      }
    }
  }
  TIFFClose(tiff);
}

void check_layout(const picture_format& format, const layout& how) {
  const temporary_folder folder;
  CAPTURE(how.mode);
  CAPTURE(how.compression);
  CAPTURE(how.is_planar);
  CAPTURE(how.tile_width);
  CAPTURE(how.rows_per_strip);
  CAPTURE(format.components);
  CAPTURE(format.depth);
  const picture source = random_picture(format);
  write_tiff(folder.file("a.tif"), source, how);
  const picture result = read_picture(folder.file("a.tif"));
  CHECK(result.format == format);
  CHECK(result.samples == source.samples);
}

void check_refused(const picture_format& format, const layout& how, errc code, const std::string& part) {
  const temporary_folder folder;
  write_tiff(folder.file("a.tif"), random_picture(format), how);
  try {
    read_picture(folder.file("a.tif"));
    FAIL("no error");
  } catch (const error& caught) {
    CHECK(caught.code() == code);
    CHECK_MESSAGE(std::string(caught.what()).find(part) != std::string::npos, caught.what());
  }
}

}  // namespace

TEST_SUITE("TIFF") {
  TEST_CASE("strips and tiles, contiguous and planar, both byte orders, classic and big, compressed or not") {
    for (const char* mode : {"wl", "wb", "w8"}) {
      for (const bool is_planar : {false, true}) {
        for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS}) {
          for (const int depth : {1, 5, 8, 12, 16, 32}) {
            const picture_format format{
                .width = 37, .height = 23, .components = 3, .depth = depth, .is_signed = depth == 16};
            check_layout(format, {.mode = mode, .compression = compression, .is_planar = is_planar});
            check_layout(format, {.mode = mode,
                                  .compression = compression,
                                  .is_planar = is_planar,
                                  .tile_width = 16,
                                  .tile_height = 32});
            check_layout(
                format,
                {.mode = mode, .compression = compression, .is_planar = is_planar, .rows_per_strip = 0xffffffffU});
          }
        }
      }
    }
  }

  TEST_CASE("tiles larger than the picture, many components, one component planar") {
    check_layout({.width = 3, .height = 2, .components = 1, .depth = 8}, {.tile_width = 64, .tile_height = 64});
    check_layout({.width = 3, .height = 2, .components = 1, .depth = 8}, {.is_planar = true});
    check_layout({.width = 33, .height = 17, .components = 40, .depth = 16}, {.is_planar = true});
    check_layout({.width = 33, .height = 17, .components = 40, .depth = 16},
                 {.is_planar = true, .tile_width = 16, .tile_height = 16});
    check_layout({.width = 9, .height = 9, .components = 4, .depth = 8, .has_alpha = true}, {});
  }

  TEST_CASE("white is zero becomes black is zero") {
    for (const int depth : {1, 8, 16}) {
      for (const bool is_signed : {false, true}) {
        const temporary_folder folder;
        picture source = random_picture(
            {.width = 10, .height = 6, .components = 1, .depth = depth, .is_signed = is_signed && depth > 1});
        write_tiff(folder.file("a.tif"), source, {.photometric = PHOTOMETRIC_MINISWHITE});
        for (std::byte& sample : source.samples) sample ^= depth == 1 ? std::byte{1} : std::byte{0xff};
        CHECK(read_picture(folder.file("a.tif")) == source);
      }
    }
  }

  TEST_CASE("what is not read is named") {
    const picture_format grey{.width = 4, .height = 4, .components = 1, .depth = 8};
    picture_format deep = grey;
    deep.depth = 32;
    check_refused(deep, {.sample_format = SAMPLEFORMAT_IEEEFP}, errc::unsupported, "floating point");
    check_refused(deep, {.sample_format = SAMPLEFORMAT_COMPLEXINT}, errc::unsupported, "sample format 5");
    check_refused(grey, {.photometric = PHOTOMETRIC_MASK}, errc::unsupported, "photometric interpretation 4");
    picture_format four = grey;
    four.components = 4;
    check_refused(four, {.photometric = PHOTOMETRIC_SEPARATED}, errc::unsupported, "photometric interpretation 5");
    check_refused(grey, {.photometric = PHOTOMETRIC_RGB}, errc::corrupt, "1 samples a pixel");
  }

  TEST_CASE("a limit below a strip or tile that must be held is an error that names it") {
    const temporary_folder folder;
    const picture source = random_picture({.width = 64, .height = 64, .components = 3, .depth = 8});
    write_tiff(folder.file("a.tif"), source, {.is_planar = true, .rows_per_strip = 64});
    CHECK(read_picture(folder.file("a.tif"), 1, {.buffer_bytes = 64 * 64 * 3}) == source);
    CHECK_THROWS_WITH_AS(read_picture(folder.file("a.tif"), 1, {.buffer_bytes = 64 * 64 * 3 - 1}),
                         doctest::Contains("above the limit"), error);
    write_tiff(folder.file("b.tif"), source, {.rows_per_strip = 64});
    CHECK(read_picture(folder.file("b.tif"), 1, {.buffer_bytes = 20000}) == source);
  }
}
