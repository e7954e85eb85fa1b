#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "picture_codecs.hpp"
#include "png_session.hpp"
#include "sample_packing.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples::detail {

namespace {

class png_reader final : public picture_reader {
 public:
  png_reader(input_file file, const read_limits& limits)
      : file_(std::move(file)), session_(png_session::direction::read) {
    kind_ = file_kind::png;
    run([this](png_structp png, png_infop info) {
      png_set_read_fn(png, this, on_read);
      png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
      png_read_info(png, info);
    });
    read_header(limits);
    run([this](png_structp png, png_infop info) {
      passes_ = png_set_interlace_handling(png);
      png_read_update_info(png, info);
    });
    read_ahead(limits);
    rows_left_ = format_.height;
  }

 private:
  static void on_read(png_structp png, png_bytep bytes, std::size_t count) {
    auto* reader = static_cast<png_reader*>(png_get_io_ptr(png));
    const auto read = [&] { reader->file_.read_exactly(std::as_writable_bytes(std::span(bytes, count))); };
    if (!reader->session_.guard(read)) png_error(png, "reading failed");
  }

  template <class Call>
  void run(const Call& call) {
    if (session_.run(call)) return;
    throw error(errc::corrupt, file_.name() + ": damaged PNG: " + session_.message(), file_.position());
  }

  void read_header(const read_limits& limits) {
    png_structp png = session_.png();
    png_infop info = session_.info();
    format_.width = png_get_image_width(png, info);
    format_.height = png_get_image_height(png, info);
    const int colour = png_get_color_type(png, info);
    const bool has_transparency = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    alpha_is_made_ = has_transparency;
    const bool is_palette = colour == PNG_COLOR_TYPE_PALETTE;
    format_.has_alpha = (colour & PNG_COLOR_MASK_ALPHA) != 0 || has_transparency;
    format_.components = ((colour & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1) + (format_.has_alpha ? 1 : 0);
    const int stored_depth = png_get_bit_depth(png, info);
    check_stored_size(stored_depth * png_get_channels(png, info), limits);
    format_.depth = stored_depth < 8 && (is_palette || has_transparency) ? 8 : stored_depth;
    file_depth_ = format_.depth;
    check_size(file_.name(), format_, limits);
    const bool is_small = format_.depth < 8;
    const bool is_deep = format_.depth > 8;
    run([=](png_structp p, png_infop) {
      if (is_palette) png_set_palette_to_rgb(p);
      if (has_transparency) png_set_tRNS_to_alpha(p);
      if (is_small) png_set_packing(p);
      if (is_deep && std::endian::native == std::endian::little) png_set_swap(p);
    });
  }

  /// Deflate makes a byte out of at least 1/1032 byte: a header that promises more than that of the file's length
  /// is damaged, and nothing of that size should be allocated.
  void check_stored_size(int bits_per_pixel, const read_limits& limits) const {
    const std::int64_t row = (format_.width * bits_per_pixel + 7) / 8;
    check_buffer(file_.name(), row, 1, limits);
    constexpr std::uint64_t deflate_limit = 1032;
    if (file_.size() &&
        static_cast<std::uint64_t>(format_.height) > *file_.size() * deflate_limit / static_cast<std::uint64_t>(row)) {
      throw error(errc::truncated,
                  file_.name() + ": a picture of " + std::to_string(format_.width) + "x" +
                      std::to_string(format_.height) + " pixels cannot be in " + std::to_string(*file_.size()) +
                      " bytes",
                  file_.position());
    }
  }

  /// Bytes of a row as libpng delivers it; at least those of the format, whose depth sBIT may lower.
  std::int64_t stored_row_bytes() const noexcept { return format_.samples_per_row() * stored_sample_bytes(); }
  int stored_sample_bytes() const noexcept { return file_depth_ <= 8 ? 1 : 2; }

  /// sBIT when it says one number for all components that is below the depth, else 0.
  int significant_bits() {
    png_color_8p bits = nullptr;
    if (png_get_sBIT(session_.png(), session_.info(), &bits) == 0) return 0;
    const int count = format_.components >= 3 ? bits->red : bits->gray;
    if (format_.components >= 3 && (bits->green != count || bits->blue != count)) return 0;
    // An alpha made from tRNS is all zeros or all ones: it has no number in sBIT, and no bits to lose.
    if (format_.has_alpha && !alpha_is_made_ && bits->alpha != count) return 0;
    return count < file_depth_ ? count : 0;
  }

  void read_ahead(const read_limits& limits) {
    const int bits = significant_bits();
    const bool fits = static_cast<std::uint64_t>(format_.height) <=
                      limits.buffer_bytes / static_cast<std::uint64_t>(stored_row_bytes());
    if (passes_ == 1 && (bits == 0 || !fits)) return;
    check_buffer(file_.name(), stored_row_bytes(), format_.height, limits);
    const std::int64_t row_bytes = stored_row_bytes();
    // Not cleared: pages that a damaged file never fills are never touched.
    picture_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(row_bytes * format_.height));
    auto* const first = reinterpret_cast<png_bytep>(picture_.get());
    const std::int64_t height = format_.height;
    const int passes = passes_;
    run([=](png_structp png, png_infop) {
      for (int pass = 0; pass < passes; ++pass) {
        for (std::int64_t y = 0; y < height; ++y) png_read_row(png, first + y * row_bytes, nullptr);
      }
      png_read_end(png, nullptr);
    });
    if (bits > 0 && all_repeat(bits)) format_.depth = bits;
  }

  /// Whether every sample is its upper `bits` bits repeated downwards.
  bool all_repeat(int bits) const noexcept {
    const std::int64_t count = format_.samples_per_row() * format_.height;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t value = load_sample(picture_.get(), i, stored_sample_bytes());
      if (repeat_bits(value >> (file_depth_ - bits), bits, file_depth_) != value) return false;
    }
    return true;
  }

  void read_row(std::byte* row) override {
    if (!picture_) {
      run([row](png_structp png, png_infop) { png_read_row(png, reinterpret_cast<png_bytep>(row), nullptr); });
      return;
    }
    const std::byte* stored = picture_.get() + next_row_++ * stored_row_bytes();
    if (format_.depth == file_depth_) {
      std::copy_n(stored, stored_row_bytes(), row);
      return;
    }
    for (std::int64_t i = 0; i < format_.samples_per_row(); ++i) {
      const std::uint32_t value = load_sample(stored, i, stored_sample_bytes());
      store_sample(row, i, format_.bytes_per_sample(), value >> (file_depth_ - format_.depth));
    }
  }

  void read_end() override {
    if (!picture_) run([](png_structp png, png_infop) { png_read_end(png, nullptr); });
  }

  input_file file_;
  png_session session_;
  int passes_ = 1;
  int file_depth_ = 8;
  bool alpha_is_made_ = false;            // from tRNS
  std::unique_ptr<std::byte[]> picture_;  // only when it has to be whole
  std::int64_t next_row_ = 0;             // in picture_
};

}  // namespace

std::unique_ptr<picture_reader> open_png(input_file file, const read_limits& limits) {
  return std::make_unique<png_reader>(std::move(file), limits);
}

}  // namespace gpuimg::examples::detail
