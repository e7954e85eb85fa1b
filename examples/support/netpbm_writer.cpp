#include <algorithm>
#include <vector>

#include "picture_codecs.hpp"
#include "sample_packing.hpp"

namespace gpuimg::examples::detail {

namespace {

class netpbm_writer final : public picture_writer {
 public:
  netpbm_writer(const std::string& path, const picture_format& format, file_kind kind) : file_(path) {
    format_ = format;
    kind_ = kind;
    rows_left_ = format.height;
    row_.resize(static_cast<std::size_t>(format.bytes_per_row()));
    const std::string maxval = std::to_string(format.maxval != 0 ? format.maxval : low_bits(format.depth));
    const std::string width = std::to_string(format.width);
    const std::string height = std::to_string(format.height);
    if (kind == file_kind::pam) {
      file_.write("P7\nWIDTH " + width + "\nHEIGHT " + height + "\nDEPTH " + std::to_string(format.components) +
                  "\nMAXVAL " + maxval + "\n" + tuple_type() + "ENDHDR\n");
    } else {
      const std::string magic = kind == file_kind::pbm ? "P4\n" : kind == file_kind::pgm ? "P5\n" : "P6\n";
      file_.write(magic + width + " " + height + "\n" + (kind == file_kind::pbm ? "" : maxval + "\n"));
    }
  }

 private:
  std::string tuple_type() const {
    const int colours = format_.components - (format_.has_alpha ? 1 : 0);
    if (colours != 1 && colours != 3) return {};
    const std::string base = colours == 3 ? "RGB" : format_.depth == 1 ? "BLACKANDWHITE" : "GRAYSCALE";
    return "TUPLTYPE " + base + (format_.has_alpha ? "_ALPHA" : "") + "\n";
  }

  void write_row(const std::byte* row) override {
    std::copy_n(row, row_.size(), row_.begin());
    if (kind_ == file_kind::pbm) {
      for (std::byte& sample : row_) sample ^= std::byte{1};
      // In place: a byte of bits is written after the eight samples that it holds have been read.
      pack_bits(row_.data(), format_.width, 1, 1, row_.data());
      file_.write(std::span(row_).first(static_cast<std::size_t>((format_.width + 7) / 8)));
      return;
    }
    if (format_.bytes_per_sample() == 2) swap_to_big_endian(row_.data(), format_.samples_per_row());
    file_.write(row_);
  }

  void write_end() override { file_.commit(); }

  atomic_output_file file_;
  std::vector<std::byte> row_;
};

}  // namespace

std::unique_ptr<picture_writer> create_netpbm(const std::string& path, const picture_format& format, file_kind kind) {
  return std::make_unique<netpbm_writer>(path, format, kind);
}

}  // namespace gpuimg::examples::detail
