#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "picture_codecs.hpp"
#include "sample_packing.hpp"
#include "tiff_session.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples::detail {

namespace {

using byte_buffer = std::unique_ptr<std::byte[]>;

// Not cleared: pages that a damaged file never fills are never touched.
byte_buffer make_buffer(std::int64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

input_file made_seekable(input_file file) {
  file.make_seekable();
  return file;
}

class tiff_reader final : public picture_reader {
 public:
  tiff_reader(input_file file, const read_limits& limits)
      : file_(made_seekable(std::move(file))), limits_(limits), session_(file_, limits.buffer_bytes) {
    kind_ = file_kind::tiff;
    read_format();
    check_size(file_.name(), format_, limits);
    rows_left_ = format_.height;
    is_planar_ = field<std::uint16_t>(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && format_.components > 1;
    is_tiled_ = TIFFIsTiled(session_.get()) != 0;
    prepare_chunks();
  }

 private:
  template <class T>
  T field(std::uint32_t tag) const {
    T value{};
    TIFFGetFieldDefaulted(session_.get(), tag, &value);
    return value;
  }

  [[noreturn]] void refuse(const std::string& what, std::int64_t value, const std::string& range) const {
    throw error(errc::unsupported,
                file_.name() + ": TIFF with " + what + " " + std::to_string(value) + "; read are " + range);
  }

  void check(bool succeeded, const char* what) const {
    session_.check(succeeded, errc::corrupt, file_.name() + ": damaged TIFF, " + what);
  }

  void read_format() {
    const auto compression = field<std::uint16_t>(TIFFTAG_COMPRESSION);
    if (TIFFIsCODECConfigured(compression) == 0) refuse("compression", compression, "those of the libtiff in use");
    const auto bits = field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE);
    const auto samples = field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL);
    const auto sample_format = field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT);
    if (sample_format == SAMPLEFORMAT_IEEEFP)
      refuse("sample format", sample_format, "integers (floating point is not)");
    if (sample_format != SAMPLEFORMAT_UINT && sample_format != SAMPLEFORMAT_INT && sample_format != SAMPLEFORMAT_VOID) {
      refuse("sample format", sample_format, "unsigned (1) and signed (2) integers");
    }
    if (bits < 1 || bits > 32) refuse("bits per sample", bits, "1..32");
    std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
    TIFFGetField(session_.get(), TIFFTAG_PHOTOMETRIC, &photometric);
    if (photometric > PHOTOMETRIC_RGB) {
      refuse("photometric interpretation", photometric, "white is zero (0), black is zero (1) and RGB (2)");
    }
    if (samples < (photometric == PHOTOMETRIC_RGB ? 3 : 1)) {
      throw error(errc::corrupt, file_.name() + ": damaged TIFF, " + std::to_string(samples) + " samples a pixel");
    }
    is_inverted_ = photometric == PHOTOMETRIC_MINISWHITE;
    format_.width = field<std::uint32_t>(TIFFTAG_IMAGEWIDTH);
    format_.height = field<std::uint32_t>(TIFFTAG_IMAGELENGTH);
    format_.components = samples;
    format_.depth = bits;
    format_.is_signed = sample_format == SAMPLEFORMAT_INT;
    format_.has_alpha = has_alpha();
  }

  bool has_alpha() const {
    std::uint16_t count = 0;
    const std::uint16_t* kinds = nullptr;
    TIFFGetFieldDefaulted(session_.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds);
    return count > 0 && count < format_.components && kinds != nullptr &&
           (kinds[count - 1] == EXTRASAMPLE_ASSOCALPHA || kinds[count - 1] == EXTRASAMPLE_UNASSALPHA);
  }

  std::int64_t packed_bytes(std::int64_t samples) const noexcept { return (samples * format_.depth + 7) / 8; }

  /// Sets what libtiff hands out at once: a row of contiguous strips, else a strip or a tile.
  void prepare_chunks() {
    chunk_samples_ = is_planar_ ? 1 : format_.components;
    chunk_width_ = format_.width;
    chunk_height_ = 1;
    if (is_tiled_) {
      chunk_width_ = field<std::uint32_t>(TIFFTAG_TILEWIDTH);
      chunk_height_ = field<std::uint32_t>(TIFFTAG_TILELENGTH);
    } else if (is_planar_) {
      chunk_height_ = std::min<std::int64_t>(field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP), format_.height);
    }
    if (chunk_width_ < 1 || chunk_height_ < 1) {
      throw error(errc::corrupt, file_.name() + ": damaged TIFF, tiles or strips are empty");
    }
    const std::int64_t row_bytes = packed_bytes(chunk_width_ * chunk_samples_);
    check_buffer(file_.name(), row_bytes, chunk_height_, limits_);
    const auto expected = static_cast<std::uint64_t>(row_bytes);
    const std::uint64_t told = is_tiled_ ? TIFFTileRowSize64(session_.get()) : TIFFScanlineSize64(session_.get());
    if (told != expected) {
      throw error(errc::unsupported, file_.name() + ": TIFF with rows of " + std::to_string(told) + " bytes where " +
                                         std::to_string(expected) + " are needed for its samples");
    }
    chunk_ = make_buffer(row_bytes * chunk_height_);
    if (!has_bands()) return;
    check_buffer(file_.name(), format_.bytes_per_row(), std::min(chunk_height_, format_.height), limits_);
    band_ = make_buffer(format_.bytes_per_row() * std::min(chunk_height_, format_.height));
    scratch_ = make_buffer(std::min(chunk_width_, format_.width) * chunk_samples_ * format_.bytes_per_sample());
  }

  /// Whether rows are put together from several strips or tiles.
  bool has_bands() const noexcept { return is_tiled_ || is_planar_; }

  void read_row(std::byte* row) override {
    if (has_bands()) {
      const std::int64_t inside = next_row_ % chunk_height_;
      if (inside == 0) read_band();
      std::copy_n(band_.get() + inside * format_.bytes_per_row(), format_.bytes_per_row(), row);
    } else {
      const int status = TIFFReadScanline(session_.get(), chunk_.get(), static_cast<std::uint32_t>(next_row_), 0);
      check(status == 1, "a row cannot be read");
      unpack(chunk_.get(), format_.samples_per_row(), row);
    }
    if (is_inverted_) invert(row);
    ++next_row_;
  }

  void read_band() {
    const std::int64_t rows = std::min(chunk_height_, format_.height - next_row_);
    const int planes = is_planar_ ? format_.components : 1;
    for (int plane = 0; plane < planes; ++plane) {
      for (std::int64_t x = 0; x < format_.width; x += chunk_width_) read_chunk(x, plane, rows);
    }
  }

  void read_chunk(std::int64_t x, int plane, std::int64_t rows) {
    const std::int64_t row_bytes = packed_bytes(chunk_width_ * chunk_samples_);
    const auto y32 = static_cast<std::uint32_t>(next_row_);
    const auto plane16 = static_cast<std::uint16_t>(plane);
    if (is_tiled_) {
      const auto tile = TIFFComputeTile(session_.get(), static_cast<std::uint32_t>(x), y32, 0, plane16);
      const auto bytes = static_cast<tmsize_t>(row_bytes * chunk_height_);
      check(TIFFReadEncodedTile(session_.get(), tile, chunk_.get(), bytes) == bytes, "a tile cannot be read");
    } else {
      const auto strip = TIFFComputeStrip(session_.get(), y32, plane16);
      const auto bytes = static_cast<tmsize_t>(row_bytes * rows);
      check(TIFFReadEncodedStrip(session_.get(), strip, chunk_.get(), bytes) == bytes, "a strip cannot be read");
    }
    const std::int64_t pixels = std::min(chunk_width_, format_.width - x);
    for (std::int64_t row = 0; row < rows; ++row) {
      unpack(chunk_.get() + row * row_bytes, pixels * chunk_samples_, scratch_.get());
      scatter(pixels, band_.get() + row * format_.bytes_per_row(), x * format_.components + plane);
    }
  }

  /// Puts `pixels` pixels of the scratch row into the interleaved `row`, from sample `first` on.
  void scatter(std::int64_t pixels, std::byte* row, std::int64_t first) const {
    const int size = format_.bytes_per_sample();
    if (!is_planar_) {
      std::copy_n(scratch_.get(), pixels * chunk_samples_ * size, row + first * size);
      return;
    }
    for (std::int64_t i = 0; i < pixels; ++i) {
      std::copy_n(scratch_.get() + i * size, size, row + (first + i * format_.components) * size);
    }
  }

  void unpack(const std::byte* packed, std::int64_t count, std::byte* samples) const {
    switch (format_.depth) {
      case 8:
      case 16:
      case 32: std::copy_n(packed, count * format_.bytes_per_sample(), samples); return;
      case 24: unpack_24_bits(packed, count, format_.is_signed, samples); return;
      default: unpack_bits(packed, count, format_.depth, format_.is_signed, format_.bytes_per_sample(), samples);
    }
  }

  /// White is zero: the first component, which is the grey one, becomes its complement.
  void invert(std::byte* row) const {
    const int size = format_.bytes_per_sample();
    const std::uint32_t mask = format_.is_signed ? ~0U : low_bits(format_.depth);
    for (std::int64_t i = 0; i < format_.samples_per_row(); i += format_.components) {
      store_sample(row, i, size, ~load_sample(row, i, size) & mask);
    }
  }

  input_file file_;
  read_limits limits_;
  tiff_session session_;
  bool is_inverted_ = false;
  bool is_planar_ = false;
  bool is_tiled_ = false;
  std::int64_t next_row_ = 0;
  std::int64_t chunk_width_ = 0;
  std::int64_t chunk_height_ = 0;
  int chunk_samples_ = 1;  // a pixel
  byte_buffer chunk_;      // as libtiff hands it out
  byte_buffer scratch_;    // one row of a chunk, unpacked
  byte_buffer band_;       // the rows of the picture that a row of chunks covers
};

}  // namespace

std::unique_ptr<picture_reader> open_tiff(input_file file, const read_limits& limits) {
  return std::make_unique<tiff_reader>(std::move(file), limits);
}

}  // namespace gpuimg::examples::detail
