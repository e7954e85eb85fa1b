/// @file
/// Pictures in every order of memory, and their way through a stream and back, for tests of the host's codec.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/codec/paco_cases.hpp"
#include "tests/codec/paco_host.hpp"

#include "gpuimg/codec/paco/decoder.hpp"
#include "gpuimg/codec/paco/encoder.hpp"

namespace paco_tests {

using stream_bytes = std::vector<std::byte>;

/// How a picture lies in memory. The last three have padding around it.
enum class arrangement : std::uint8_t { planar, by_line, interleaved, pitched, cropped, upside_down };
inline constexpr int arrangements = 6;

/// A picture in memory of its own.
template <class S>
class stored_picture {
 public:
  stored_picture(const gpuimg::paco::picture_format& f, arrangement how) : how_(how) {
    const std::int64_t left = how == arrangement::cropped ? 3 : 0;
    const std::int64_t around = how >= arrangement::pitched ? 5 : 0;
    const std::int64_t width = f.width + around;
    const std::int64_t height = f.height + around;
    memory_.assign(static_cast<std::size_t>(width * height * f.components), padding);
    const auto order = how == arrangement::interleaved || how == arrangement::cropped ? gpuimg::interleave::bip
                       : how == arrangement::by_line                                  ? gpuimg::interleave::bil
                                                                                      : gpuimg::interleave::bsq;
    view_ =
        gpuimg::cube_view<S>(memory_.data(), width, height, f.components, order).crop(left, left, f.width, f.height);
    if (how == arrangement::upside_down && f.height > 0) {
      view_.data = &view_(0, f.height - 1, 0);
      view_.y_stride = -view_.y_stride;
    }
  }
  stored_picture(stored_picture&&) noexcept = default;

  const gpuimg::cube_view<S>& view() const noexcept { return view_; }
  gpuimg::cube_view<const S> read_only() const noexcept { return view_; }

  /// Calls body(sample, x, y, component) for each sample.
  template <class Body>
  void each(const Body& body) const {
    for (std::int64_t c = 0; c < view_.bands; ++c) {
      for (std::int64_t y = 0; y < view_.height; ++y) {
        for (std::int64_t x = 0; x < view_.width; ++x) { body(view_(x, y, c), x, y, c); }
      }
    }
  }

  /// Whether nothing around the picture has changed. Overwrites the picture.
  bool padding_is_intact() {
    each([](S& s, auto...) { s = padding; });
    for (const S s : memory_) {
      if (s != padding) { return false; }
    }
    return true;
  }

 private:
  static constexpr S padding = 0x5A;
  arrangement how_;
  std::vector<S> memory_;
  gpuimg::cube_view<S> view_;
};

/// The picture of a case: the samples of make_samples().
template <class S>
stored_picture<S> make_picture(const picture_case& c, arrangement how) {
  stored_picture<S> picture(c.format<S>(), how);
  const auto samples = make_samples<S>(c);
  const gpuimg::cube_view<const S> packed(samples.data(), c.width, c.height, c.components, c.order);
  picture.each([&](S& s, auto x, auto y, auto b) { s = packed(x, y, b); });
  return picture;
}

/// Encodes with a paco::encoder or a host_codec.
template <class Encoder, class S>
stream_bytes encode(Encoder& encoder, const gpuimg::cube_view<const S>& picture, int depth) {
  const paco::picture_format format{picture.width, picture.height, static_cast<int>(picture.bands), depth,
                                    std::is_signed_v<S>};
  stream_bytes stream(static_cast<std::size_t>(encoder.bound(format)));
  stream.resize(static_cast<std::size_t>(encoder.encode(picture, depth, std::span(stream))));
  return stream;
}

/// Whether a stream decodes to these samples, and to nothing beside them. With a paco::decoder or a host_codec.
template <class Decoder, class S>
bool decodes_to(Decoder& decoder, std::span<const std::byte> stream, const gpuimg::cube_view<const S>& wanted,
                arrangement how) {
  const auto format = paco::read_header(stream).picture;
  bool same = false;
  with_sample_type(format.depth, format.is_signed, [&](auto type) {
    stored_picture<decltype(type)> decoded(format, how);
    decoder.decode(stream, decoded.view());
    same = true;
    decoded.each([&](auto s, auto x, auto y, auto c) { same = same && s == wanted(x, y, c); });
    same = same && decoded.padding_is_intact();
  });
  return same;
}

/// Sanitized builds are slow: they do one of so many rounds.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr int slow_build_stride = 7;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr int slow_build_stride = 7;
#else
inline constexpr int slow_build_stride = 1;
#endif
#else
inline constexpr int slow_build_stride = 1;
#endif

}  // namespace paco_tests
