/// @file
/// Where the samples of a region are, in few bits, and which of four such places a window covers.
#pragma once

#include <cstdint>

#include "gpuimg/core/config.hpp"
#include "gpuimg/filter/register_window.hpp"

namespace gpuimg::filter::detail {

/// The signs of the halves of two words, as bytes of 0 or -1: halves of `a` first.
GPUIMG_FUNCTION inline std::uint32_t half_signs(std::uint32_t a, std::uint32_t b) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  std::uint32_t result;
  asm("prmt.b32 %0, %1, %2, 0xFDB9;" : "=r"(result) : "r"(a), "r"(b));  // bit 3 of a selector asks for the sign
  return result;
#else
  const auto sign = [](std::uint32_t word, int half, int byte) {
    return (word >> (16 * half + 15) & 1u) != 0 ? 0xFFu << (8 * byte) : 0u;
  };
  return sign(a, 0, 0) | sign(a, 1, 1) | sign(b, 0, 2) | sign(b, 1, 3);
#endif
}

/// sum plus the products of the signed bytes of a and b.
GPUIMG_FUNCTION inline std::int32_t add_byte_products(std::uint32_t a, std::uint32_t b, std::int32_t sum) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return __dp4a(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), sum);
#else
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<std::int8_t>(a >> (8 * i) & 0xFFu) * static_cast<std::int8_t>(b >> (8 * i) & 0xFFu);
  }
  return sum;
#endif
}

/// A window of width x height places from (x, y) on, which goes down row by row.
///
/// Places hold x and y with a bit above each that is always set, so that one subtraction compares all of a word: the
/// bit stays set where there is no borrow. As ~(a - b) is b - 1 - a, the far corners are kept less one. inside() tells
/// of four places, by bits 7, 15, 23 and 31.
///
/// Seven bits a coordinate:
struct narrow_places {
  using type = std::uint16_t;
  static constexpr int limit = 128;  ///< coordinates are less

  struct alignas(8) four {
    std::uint32_t pairs[2];
  };

  GPUIMG_FUNCTION static constexpr type place(int x, int y) noexcept { return static_cast<type>(0x8080 | x | y << 8); }
  GPUIMG_FUNCTION static constexpr int x(type place) noexcept { return place & 0x7F; }
  GPUIMG_FUNCTION static constexpr int y(type place) noexcept { return place >> 8 & 0x7F; }

  class window {
   public:
    GPUIMG_FUNCTION window(int x, int y, int width, int height) noexcept
        : first_(corner(x, y)), last_(corner(x + width, y + height) - 1) {}
    GPUIMG_FUNCTION void go_down() noexcept {
      first_ += 0x01000100u;
      last_ += 0x01000100u;
    }
    GPUIMG_FUNCTION std::uint32_t inside(const four& places) const noexcept {
      const std::uint32_t a = (places.pairs[0] - first_) & (last_ - places.pairs[0]);
      const std::uint32_t b = (places.pairs[1] - first_) & (last_ - places.pairs[1]);
      return select_bytes(a, b, 0x6420) & select_bytes(a, b, 0x7531) & 0x80808080u;
    }

   private:
    GPUIMG_FUNCTION static std::uint32_t corner(int x, int y) noexcept {
      return (static_cast<std::uint32_t>(x) | static_cast<std::uint32_t>(y) << 8) * 0x00010001u;
    }
    std::uint32_t first_;
    std::uint32_t last_;
  };
};

/// Eight bits a coordinate, spread out to be compared.
struct byte_places {
  using type = std::uint16_t;
  static constexpr int limit = 256;
  using four = narrow_places::four;

  GPUIMG_FUNCTION static constexpr type place(int x, int y) noexcept { return static_cast<type>(x | y << 8); }
  GPUIMG_FUNCTION static constexpr int x(type place) noexcept { return place & 0xFF; }
  GPUIMG_FUNCTION static constexpr int y(type place) noexcept { return place >> 8; }

  class window {
   public:
    GPUIMG_FUNCTION window(int x, int y, int width, int height) noexcept
        : left_(twice(x)), right_(twice(x + width) - 1), top_(twice(y)), bottom_(twice(y + height) - 1) {}
    GPUIMG_FUNCTION void go_down() noexcept {
      top_ += 0x00010001u;
      bottom_ += 0x00010001u;
    }
    GPUIMG_FUNCTION std::uint32_t inside(const four& places) const noexcept {
      return select_bytes(pair_inside(places.pairs[0]), pair_inside(places.pairs[1]), 0x7531) & 0x80808080u;
    }

   private:
    GPUIMG_FUNCTION static std::uint32_t twice(int coordinate) noexcept {
      return static_cast<std::uint32_t>(coordinate) * 0x00010001u;
    }
    GPUIMG_FUNCTION std::uint32_t pair_inside(std::uint32_t pair) const noexcept {
      const std::uint32_t columns = select_bytes(pair, 0x80u, 0x4240);
      const std::uint32_t lines = select_bytes(pair, 0x80u, 0x4341);
      return (columns - left_) & (right_ - columns) & (lines - top_) & (bottom_ - lines);
    }
    std::uint32_t left_;
    std::uint32_t right_;
    std::uint32_t top_;
    std::uint32_t bottom_;
  };
};

/// Fifteen bits a coordinate.
struct word_places {
  using type = std::uint32_t;
  static constexpr int limit = 32768;

  struct alignas(16) four {
    std::uint32_t places[4];
  };

  GPUIMG_FUNCTION static constexpr type place(int x, int y) noexcept {
    return 0x80008000u | static_cast<type>(x) | static_cast<type>(y) << 16;
  }
  GPUIMG_FUNCTION static constexpr int x(type place) noexcept { return static_cast<int>(place & 0x7FFFu); }
  GPUIMG_FUNCTION static constexpr int y(type place) noexcept { return static_cast<int>(place >> 16 & 0x7FFFu); }

  class window {
   public:
    GPUIMG_FUNCTION window(int x, int y, int width, int height) noexcept
        : first_(corner(x, y)), last_(corner(x + width, y + height) - 1) {}
    GPUIMG_FUNCTION void go_down() noexcept {
      first_ += 0x00010000u;
      last_ += 0x00010000u;
    }
    GPUIMG_FUNCTION std::uint32_t inside(const four& all) const noexcept {
      std::uint32_t flags[4];
      GPUIMG_UNROLL
      for (int i = 0; i < 4; ++i) { flags[i] = (all.places[i] - first_) & (last_ - all.places[i]); }
      const std::uint32_t a = select_bytes(flags[0], flags[1], 0x7351);  // two of x, two of y
      const std::uint32_t b = select_bytes(flags[2], flags[3], 0x7351);
      return select_bytes(a, b, 0x5410) & select_bytes(a, b, 0x7632) & 0x80808080u;
    }

   private:
    GPUIMG_FUNCTION static std::uint32_t corner(int x, int y) noexcept {
      return static_cast<std::uint32_t>(x) | static_cast<std::uint32_t>(y) << 16;
    }
    std::uint32_t first_;
    std::uint32_t last_;
  };
};

}  // namespace gpuimg::filter::detail
