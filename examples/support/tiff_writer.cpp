#include <algorithm>
#include <optional>
#include <vector>

#include "picture_codecs.hpp"
#include "sample_packing.hpp"
#include "tiff_session.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples::detail {

namespace {

class tiff_writer final : public picture_writer {
 public:
  tiff_writer(const std::string& path, const picture_format& format) : file_(path) {
    format_ = format;
    kind_ = file_kind::tiff;
    rows_left_ = format.height;
    const std::int64_t row_bytes = (format.samples_per_row() * format.depth + 7) / 8;
    row_.resize(static_cast<std::size_t>(row_bytes));
    file_.make_seekable();
    // Offsets of 32 bits: samples, and room for the directory and two numbers a strip.
    constexpr std::int64_t largest_classic = 4'000'000'000;
    session_.emplace(file_, format.height > largest_classic / (row_bytes + 16));
    set_fields(row_bytes);
  }

 private:
  void check(bool succeeded) const { session_->check(succeeded, errc::io, "cannot write the TIFF " + file_.name()); }

  template <class T>
  void set(std::uint32_t tag, T value) {
    check(TIFFSetField(session_->get(), tag, value) == 1);
  }

  void set_fields(std::int64_t row_bytes) {
    constexpr std::int64_t strip_bytes = std::int64_t{1} << 18;
    const int colours = format_.components - (format_.has_alpha ? 1 : 0);
    const bool is_rgb = colours == 3;
    set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(format_.width));
    set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(format_.height));
    set(TIFFTAG_BITSPERSAMPLE, format_.depth);
    set(TIFFTAG_SAMPLESPERPIXEL, format_.components);
    set(TIFFTAG_SAMPLEFORMAT, format_.is_signed ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT);
    set(TIFFTAG_PHOTOMETRIC, is_rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    set(TIFFTAG_ROWSPERSTRIP,
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(strip_bytes / row_bytes, 1, format_.height)));
    std::vector<std::uint16_t> extra(static_cast<std::size_t>(format_.components - (is_rgb ? 3 : 1)),
                                     EXTRASAMPLE_UNSPECIFIED);
    if (extra.empty()) return;
    if (format_.has_alpha) extra.back() = EXTRASAMPLE_UNASSALPHA;
    check(TIFFSetField(session_->get(), TIFFTAG_EXTRASAMPLES, static_cast<int>(extra.size()), extra.data()) == 1);
  }

  void write_row(const std::byte* row) override {
    const std::int64_t count = format_.samples_per_row();
    switch (format_.depth) {
      case 8:
      case 16:
      case 32: std::copy_n(row, row_.size(), row_.begin()); break;
      case 24: pack_24_bits(row, count, row_.data()); break;
      default: pack_bits(row, count, format_.depth, format_.bytes_per_sample(), row_.data());
    }
    check(TIFFWriteScanline(session_->get(), row_.data(), static_cast<std::uint32_t>(next_row_++), 0) == 1);
  }

  void write_end() override {
    check(TIFFWriteDirectory(session_->get()) == 1);
    session_.reset();
    file_.commit();
  }

  atomic_output_file file_;
  std::optional<tiff_session> session_;
  std::vector<std::byte> row_;  // packed
  std::int64_t next_row_ = 0;
};

}  // namespace

std::unique_ptr<picture_writer> create_tiff(const std::string& path, const picture_format& format) {
  return std::make_unique<tiff_writer>(path, format);
}

}  // namespace gpuimg::examples::detail
