/// @file
/// Planes of numbers that look random, and views of them inside of padding that must stay as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpuimg/core/image_view.hpp"

namespace codec_tests {

/// The next of a sequence of 32-bit numbers (a linear congruence; its high half is good enough for pictures).
class number_source {
 public:
  explicit number_source(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_;
};

/// Planes of T inside of a larger allocation: `margin` samples of padding around each.
template <class T>
class padded_planes {
 public:
  padded_planes(std::int64_t width, std::int64_t height, std::int64_t planes, std::int64_t margin)
      : width_(width), height_(height), planes_(planes), margin_(margin), samples_(area() * count(planes), padding()) {}

  /// `data` is where the allocation's copy lies; null for this one.
  gpuimg::planar_view<T> view(T* data = nullptr) {
    T* first = (data != nullptr ? data : samples_.data()) + margin_ * pitch() + margin_;
    constexpr auto one = static_cast<std::int64_t>(sizeof(T));
    return {first, width_, height_, planes_, pitch() * one, static_cast<std::int64_t>(area()) * one};
  }
  gpuimg::image_view<T> plane(std::int64_t index = 0) { return view().plane(index); }

  std::vector<T>& samples() { return samples_; }

  /// Every sample of every plane is a new random number of `bits` bits, signed.
  void fill(number_source& source, int bits = 8 * static_cast<int>(sizeof(T))) {
    each([&](T& sample) { sample = static_cast<T>(static_cast<std::int32_t>(source.next()) >> (32 - bits)); });
  }

  /// Whether no sample around the planes has changed.
  bool padding_is_intact() {
    auto copy = *this;
    copy.each([](T& sample) { sample = padding(); });
    for (const T sample : copy.samples_) {
      if (sample != padding()) { return false; }
    }
    return true;
  }

 private:
  static constexpr T padding() { return static_cast<T>(0x5A); }
  static std::size_t count(std::int64_t n) { return static_cast<std::size_t>(n); }
  std::int64_t pitch() const { return width_ + 2 * margin_; }
  std::size_t area() const { return count(pitch() * (height_ + 2 * margin_)); }

  template <class Body>
  void each(const Body& body) {
    for (std::int64_t p = 0; p < planes_; ++p) {
      for (std::int64_t y = 0; y < height_; ++y) {
        for (std::int64_t x = 0; x < width_; ++x) { body(view().plane(p)(x, y)); }
      }
    }
  }

  std::int64_t width_;
  std::int64_t height_;
  std::int64_t planes_;
  std::int64_t margin_;
  std::vector<T> samples_;
};

}  // namespace codec_tests
