// Borders: each mode against its drawing, against a walk one step at a time, and far outside of the picture.
#include "gpuimg/filter/border.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using namespace gpuimg;
using filter::border;
using filter::map_coordinate;

namespace {

constexpr border modes[] = {border::constant, border::replicate, border::reflect, border::reflect101, border::wrap};

// The six letters on each side of "abcd", as the header draws them.
std::string drawn(border mode) {
  std::string text;
  for (std::int64_t i = -6; i < 10; ++i) {
    const std::int64_t at = map_coordinate(mode, i, 4);
    text += at == filter::no_sample ? 'k' : static_cast<char>('a' + at);
  }
  return text;
}

// Walks from 0 to i, turning or jumping at the ends.
std::int64_t walk(border mode, std::int64_t i, std::int64_t n) {
  std::int64_t at = 0;
  std::int64_t step = i < 0 ? -1 : 1;
  for (std::int64_t left = i < 0 ? -i : i; left > 0; --left) {
    const std::int64_t next = at + step;
    if (next >= 0 && next < n) {
      at = next;
    } else if (mode == border::wrap) {
      at = next < 0 ? n - 1 : 0;
    } else if (mode == border::reflect) {
      step = -step;
    } else if (mode == border::reflect101 && n > 1) {
      step = -step;
      at += step;
    }
  }
  return at;
}

}  // namespace

TEST_SUITE("border") {
  static_assert(std::is_trivially_copyable_v<filter::bordered_image<float>>);
  static_assert(map_coordinate(border::reflect, -1, 4) == 0);
  static_assert(map_coordinate(border::reflect101, -1, 4) == 1);

  TEST_CASE("the header's drawings") {
    CHECK(drawn(border::constant) == "kkkkkkabcdkkkkkk");
    CHECK(drawn(border::replicate) == "aaaaaaabcddddddd");
    CHECK(drawn(border::reflect) == "cddcbaabcddcbaab");
    CHECK(drawn(border::reflect101) == "abcdcbabcdcbabcd");
    CHECK(drawn(border::wrap) == "cdabcdabcdabcdab");
  }

  TEST_CASE("every mode agrees with a walk of single steps") {
    for (const border mode : {border::replicate, border::reflect, border::reflect101, border::wrap}) {
      for (std::int64_t n = 1; n <= 9; ++n) {
        for (std::int64_t i = -40; i <= 40; ++i) {
          CAPTURE(static_cast<int>(mode));
          CAPTURE(n);
          CAPTURE(i);
          CHECK(map_coordinate(mode, i, n) == walk(mode, i, n));
        }
      }
    }
  }

  TEST_CASE("coordinates at the ends of their type are mapped into the picture") {
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    for (const border mode : modes) {
      for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, (std::int64_t{1} << 62) - 1}) {
        for (const std::int64_t i : {least, least + 1, most - 1, most}) {
          const std::int64_t at = map_coordinate(mode, i, n);
          if (mode == border::constant) {
            CHECK(at == filter::no_sample);
          } else {
            CHECK(at >= 0);
            CHECK(at < n);
          }
        }
      }
    }
  }

  TEST_CASE("an empty row has no samples") {
    for (const border mode : modes) { CHECK(map_coordinate(mode, 0, 0) == filter::no_sample); }
  }

  TEST_CASE("a bordered picture maps both coordinates and honours the pitch") {
    const std::vector<std::int16_t> samples{1, 2, 3, 99, 4, 5, 6, 99};
    const image_view<const std::int16_t> image(samples.data(), 3, 2, 8);
    const filter::bordered_image<std::int16_t> reflected{image, border::reflect};
    CHECK(reflected(-1, -1) == 1);
    CHECK(reflected(3, 2) == 6);
    CHECK(reflected(1, 1) == 5);
    const filter::bordered_image<std::int16_t> constant{image, border::constant, -7};
    CHECK(constant(3, 0) == -7);
    CHECK(constant(0, -1) == -7);
    CHECK(constant(2, 1) == 6);
  }
}
