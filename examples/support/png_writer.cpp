#include <algorithm>
#include <bit>
#include <vector>

#include "picture_codecs.hpp"
#include "png_session.hpp"
#include "sample_packing.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples::detail {

namespace {

/// Depth of the file: of 1, 2 and 4 for grey, 8 and 16 the one that is meant, or 8 or 16 to scale to.
int depth_in_file(const picture_format& format) noexcept {
  const int depth = format.depth;
  if (format.components == 1 && (depth == 1 || depth == 2 || depth == 4)) return depth;
  return depth <= 8 ? 8 : 16;
}

class png_writer final : public picture_writer {
 public:
  png_writer(const std::string& path, const picture_format& format, int level)
      : file_(path), session_(png_session::direction::write), file_depth_(depth_in_file(format)) {
    format_ = format;
    kind_ = file_kind::png;
    rows_left_ = format.height;
    if (is_scaled()) {
      row_.resize(static_cast<std::size_t>(format.samples_per_row()) * static_cast<std::size_t>(file_depth_ / 8));
    }
    constexpr std::array colours{PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
    const int colour = colours[static_cast<std::size_t>(format.components - 1)];
    const auto depth = static_cast<png_byte>(format.depth);
    const png_color_8 significant{depth, depth, depth, depth, depth};
    run([&](png_structp png, png_infop info) {
      constexpr std::size_t chunk = std::size_t{1} << 16;
      png_set_write_fn(png, this, on_write, on_flush);
      png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
      png_set_compression_level(png, level);
      png_set_compression_buffer_size(png, chunk);
      png_set_IHDR(png, info, static_cast<png_uint_32>(format_.width), static_cast<png_uint_32>(format_.height),
                   file_depth_, colour, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
      if (is_scaled()) png_set_sBIT(png, info, &significant);
      png_write_info(png, info);
      if (file_depth_ < 8) png_set_packing(png);
      if (file_depth_ == 16 && std::endian::native == std::endian::little) png_set_swap(png);
    });
  }

 private:
  static void on_write(png_structp png, png_bytep bytes, std::size_t count) {
    auto* writer = static_cast<png_writer*>(png_get_io_ptr(png));
    const auto write = [&] { writer->file_.write(std::as_bytes(std::span(bytes, count))); };
    if (!writer->session_.guard(write)) png_error(png, "writing failed");
  }

  static void on_flush(png_structp /*png*/) {}

  template <class Call>
  void run(const Call& call) {
    if (session_.run(call)) return;
    throw error(errc::io, "cannot write the PNG " + file_.name() + ": " + session_.message());
  }

  bool is_scaled() const noexcept { return file_depth_ != format_.depth; }

  void write_row(const std::byte* row) override {
    if (is_scaled()) {
      for (std::int64_t i = 0; i < format_.samples_per_row(); ++i) {
        const std::uint32_t sample = load_sample(row, i, format_.bytes_per_sample());
        store_sample(row_.data(), i, file_depth_ / 8, repeat_bits(sample, format_.depth, file_depth_));
      }
      row = row_.data();
    }
    run([row](png_structp png, png_infop) { png_write_row(png, reinterpret_cast<png_const_bytep>(row)); });
  }

  void write_end() override {
    run([](png_structp png, png_infop) { png_write_end(png, nullptr); });
    file_.commit();
  }

  atomic_output_file file_;
  png_session session_;
  int file_depth_;
  std::vector<std::byte> row_;  // only when scaled
};

}  // namespace

std::unique_ptr<picture_writer> create_png(const std::string& path, const picture_format& format, int level) {
  return std::make_unique<png_writer>(path, format, level);
}

}  // namespace gpuimg::examples::detail
