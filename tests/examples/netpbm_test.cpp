// What PNM and PAM files may look like, against the text of their specifications.
#include <doctest/doctest.h>

#include "tests/examples/picture_fixtures.hpp"

#include "gpuimg/core/error.hpp"

using namespace gpuimg;
using namespace gpuimg::examples;
using namespace gpuimg::examples::test;

namespace {

using namespace std::string_literals;

picture read_text(const std::string& text, const read_limits& limits = {}) {
  const temporary_folder folder;
  write_file(folder.file("text"), text);
  return read_picture(folder.file("text"), 1, limits);
}

std::vector<int> samples_of(const std::string& text) {
  const picture result = read_text(text);
  std::vector<int> values;
  for (const std::byte value : result.samples) values.push_back(std::to_integer<int>(value));
  return values;
}

void check_refused(const std::string& text, errc code, const std::string& part_of_message) {
  CAPTURE(text);
  try {
    read_text(text);
    FAIL("no error");
  } catch (const error& caught) {
    CHECK(caught.code() == code);
    CHECK_MESSAGE(std::string(caught.what()).find(part_of_message) != std::string::npos, caught.what());
  }
}

}  // namespace

TEST_SUITE("netpbm") {
  TEST_CASE("bitmaps have 1 for white, as grey pictures have") {
    CHECK(samples_of("P1\n3 2\n0 1 0\n1 1 0\n") == std::vector{1, 0, 1, 0, 0, 1});
    CHECK(samples_of("P1 3 2 010110") == std::vector{1, 0, 1, 0, 0, 1});
    CHECK(samples_of("P4\n3 2\n\x40\xc0"s) == std::vector{1, 0, 1, 0, 0, 1});
    CHECK(samples_of("P4\n9 1\n\xff\x7f"s) == std::vector{0, 0, 0, 0, 0, 0, 0, 0, 1});
    CHECK(read_text("P1 1 1 0").format == picture_format{.width = 1, .height = 1, .components = 1, .depth = 1});
  }

  TEST_CASE("plain and raw pictures, comments and any white space") {
    const std::vector expected{0, 9, 15, 1};
    CHECK(samples_of("P2 2 2 15 0 9 15 1") == expected);
    CHECK(samples_of("P2\n# made by hand\n2 #two\n2\n15\n0 9\n#between\n15 1\n\n") == expected);
    CHECK(samples_of("P2\r\n2\t2\v15\f0 9 15 1#end") == expected);
    CHECK(samples_of("P2#\n2 2 15 0 9 15 1") == expected);
    CHECK(samples_of("P5\n2 2\n15\n\0\x9\xf\x1"s) == expected);
    CHECK(samples_of("P5\n2 2\n15#the line feed after this counts\n\0\x9\xf\x1"s) == expected);
    CHECK(samples_of("P5\n2 2\n15\n\0\x9\xf\x1 and more"s) == expected);
    CHECK(samples_of("P3 1 1 255 1 2 3") == std::vector{1, 2, 3});
    CHECK(samples_of("P6 1 1 255 \1\2\3") == std::vector{1, 2, 3});
  }

  TEST_CASE("samples above 255 are big-endian in the file and native in memory") {
    const picture result = read_text("P5 2 1 4095\n\x0f\xff\x01\x02"s);
    CHECK(result.format == picture_format{.width = 2, .height = 1, .components = 1, .depth = 12});
    CHECK(result == [&] {
      picture expected{result.format, bytes(4)};
      put(expected.samples, expected.format, 0, 0xfff);
      put(expected.samples, expected.format, 1, 0x102);
      return expected;
    }());
  }

  TEST_CASE("PAM headers in any order, with comments; alpha by the tuple type") {
    const picture result = read_text(
        "P7\n# comment\nMAXVAL 255\nDEPTH 2\n\nHEIGHT 1\n  WIDTH\t2  \nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\1\2\3\4"s);
    CHECK(result.format.has_alpha);
    CHECK(result.format.components == 2);
    CHECK(result.samples == bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}});
    CHECK_FALSE(read_text("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 1\nENDHDR\n\1\1"s).format.has_alpha);
    CHECK(samples_of("P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\1\0"s) ==
          std::vector{1, 0});
  }

  TEST_CASE("a maxval that is not 2^n - 1 is told") {
    const picture result = read_text("P2 2 1 100 0 100");
    CHECK(result.format.depth == 7);
    CHECK(result.format.maxval == 100);
    check_refused("P2 2 1 100 0 101", errc::corrupt, "above 100");
    check_refused("P5 2 1 100 \0\x65"s, errc::corrupt, "101 is above the maxval 100");
    check_refused("P5 2 1 1 \0\2"s, errc::corrupt, "2 is above the maxval 1");
    check_refused("P5 1 1 256 \1\1"s, errc::corrupt, "257 is above the maxval 256");
  }

  TEST_CASE("damaged headers name what is wrong") {
    check_refused("", errc::truncated, "empty");
    check_refused("P", errc::unsupported, "first bytes");
    check_refused("P8 1 1 255 a", errc::unsupported, "first bytes");
    check_refused("GIF89a", errc::unsupported, "first bytes");
    check_refused("P5", errc::corrupt, "white space");
    check_refused("P5x", errc::corrupt, "white space");
    check_refused("P5 ", errc::truncated, "width");
    check_refused("P5 -1 1 255 a", errc::corrupt, "width is not a number");
    check_refused("P5 0 1 255 a", errc::corrupt, "empty");
    check_refused("P5 1 0 255 a", errc::corrupt, "empty");
    check_refused("P5 1 1 0 a", errc::corrupt, "maxval");
    check_refused("P5 1 1 65536 aa", errc::corrupt, "above 65535");
    check_refused("P5 1 1 99999999999999999999999 aa", errc::corrupt, "maxval is above");
    check_refused("P5 99999999999999999999999 1 255 a", errc::corrupt, "width is above");
    check_refused("P6 1000000000000 1000000000000 65535 a", errc::corrupt, "64-bit");
    check_refused("P5 1000000000 1000000000 255 a", errc::truncated, "do not fit");
    check_refused("P1 2 1 02", errc::corrupt, "neither 0 nor 1");
    check_refused("P2 2 1 255 1 x", errc::corrupt, "a sample is not a number");
    check_refused("P2 2 1 255 1 1x", errc::corrupt, "no white space");
    check_refused("P7 \n", errc::corrupt, "line feed");
    check_refused("P7\nWIDTH 1\n", errc::truncated, "header");
    check_refused("P7\nWIDTH\nENDHDR\n", errc::corrupt, "WIDTH is missing or 0");
    check_refused("P7\nWIDTH 1\nHEIGHT 1\nMAXVAL 255\nENDHDR\na", errc::corrupt, "no DEPTH");
    check_refused("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 65536\nMAXVAL 255\nENDHDR\na", errc::corrupt, "DEPTH is above");
    check_refused("P7\nCOLOUR 1\nENDHDR\n", errc::corrupt, "unknown header line COLOUR");
    check_refused("P7\nTUPLTYPE " + std::string(5000, 'x') + "\nENDHDR\n", errc::corrupt, "longer than");
  }

  TEST_CASE("rows above the limit are refused before they are asked for") {
    const std::string text = "P5 64 2 255\n" + std::string(128, 'a');
    CHECK(read_text(text, {.buffer_bytes = 64}).samples.size() == 128);
    CHECK_THROWS_WITH_AS(read_text(text, {.buffer_bytes = 63}), doctest::Contains("above the limit of 63"), error);
  }

  TEST_CASE("what is written is what the specification says") {
    const temporary_folder folder;
    const auto written = [&](file_kind kind, picture_format format, const std::string& samples) {
      const auto view = std::as_bytes(std::span(samples));
      write_picture(folder.file("out"), {format, {view.begin(), view.end()}}, kind);
      const bytes file = read_file(folder.file("out"));
      return std::string(reinterpret_cast<const char*>(file.data()), file.size());
    };
    picture_format format{.width = 2, .height = 1, .components = 1, .depth = 1};
    CHECK(written(file_kind::pnm, format, "\1\0"s) == "P4\n2 1\n\x40");
    CHECK(written(file_kind::pgm, format, "\1\0"s) == "P5\n2 1\n1\n\1\0"s);
    CHECK(written(file_kind::pam, format, "\1\0"s) ==
          "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n\1\0"s);
    format.depth = 8;
    CHECK(written(file_kind::pnm, format, "ab") == "P5\n2 1\n255\nab");
    format = {.width = 1, .height = 1, .components = 3, .depth = 8};
    CHECK(written(file_kind::pnm, format, "abc") == "P6\n1 1\n255\nabc");
    format = {.width = 1, .height = 1, .components = 4, .depth = 8};
    CHECK(written(file_kind::pam, format, "abcd") == "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nENDHDR\nabcd");
    format.has_alpha = true;
    CHECK(written(file_kind::pam, format, "abcd") ==
          "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcd");
  }
}
