/// @file
/// Where the tests of medians run: on the host, and in the emulator of devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/filter/median_cases.hpp"

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"

namespace median_tests {

/// A picture in rows of some pitch, with a pattern around it that must not change.
template <class T>
class framed {
 public:
  framed(const picture<T>& inside, std::int64_t pitch_samples, std::int64_t first)
      : width_(inside.width), height_(inside.height), pitch_(pitch_samples), first_(first) {
    memory_.resize(static_cast<std::size_t>(pitch_ * (height_ + 2) + 16));
    std::memset(memory_.data(), 0xA5, memory_.size() * sizeof(T));
    for (std::int64_t y = 0; y < height_; ++y) {
      for (std::int64_t x = 0; x < width_; ++x) { at(x, y) = inside.at(x, y); }
    }
    before_ = memory_;
  }

  std::vector<T>& memory() { return memory_; }

  /// The picture in a copy of the memory that begins at `base`.
  template <class U>
  image_view<U> view(U* base) const {
    return {base + pitch_ + first_, width_, height_, pitch_ * static_cast<std::int64_t>(sizeof(T))};
  }

  /// Copies the picture out, and checks that all around is as before.
  void finish(picture<T>& inside) {
    for (std::int64_t y = 0; y < height_; ++y) {
      for (std::int64_t x = 0; x < width_; ++x) {
        inside.samples[static_cast<std::size_t>(y * width_ + x)] = at(x, y);
        at(x, y) = before_[index(x, y)];
      }
    }
    CHECK(std::memcmp(memory_.data(), before_.data(), memory_.size() * sizeof(T)) == 0);
  }

 private:
  std::size_t index(std::int64_t x, std::int64_t y) const {
    return static_cast<std::size_t>((y + 1) * pitch_ + first_ + x);
  }
  T& at(std::int64_t x, std::int64_t y) { return memory_[index(x, y)]; }

  std::int64_t width_;
  std::int64_t height_;
  std::int64_t pitch_;
  std::int64_t first_;
  std::vector<T> memory_;
  std::vector<T> before_;
};

/// Calls body(source, destination) with framed pictures in host memory: rows whose pitch and place are multiples of 16
/// bytes (`wide`), or not.
template <class T, class Body>
void with_framed(const picture<T>& source, picture<T>& destination, bool wide, const Body& body) {
  const std::int64_t sixteen = 16 / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t pitch = wide ? (source.width + 2 * sixteen) / sixteen * sixteen : source.width + 3;
  framed<T> from(source, pitch, wide ? 0 : 1);
  framed<T> to(destination, pitch, wide ? 0 : 2);
  body(from, to);
  picture<T> same = source;
  from.finish(same);
  to.finish(destination);
}

struct host_backend {
  unsigned threads = 2;
  bool wide = false;

  static const std::vector<std::uint8_t>& mask(const std::vector<std::uint8_t>& bytes) { return bytes; }

  template <class T, class Body>
  void run(const picture<T>& source, picture<T>& destination, const Body& body) const {
    with_framed(source, destination, wide, [&](auto& from, auto& to) {
      body(host{threads}, from.view(const_cast<const T*>(from.memory().data())), to.view(to.memory().data()));
    });
  }
};

}  // namespace median_tests
