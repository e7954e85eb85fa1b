// gpuimg-lce encode: a cube file to a stream, slab by slab.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "commands.hpp"
#include "quicklook.hpp"
#include "support/byte_file.hpp"
#include "support/report.hpp"

#include "gpuimg/codec/lce/cube_transfer.hpp"
#include "gpuimg/codec/lce/host_encoder.hpp"
#include "gpuimg/codec/lce/segment.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {
namespace {

/// Decodes slabs as they are written, and compares.
class verifier {
 public:
  explicit verifier(const lce::stream_header& header) : header_(header), decoder_(make_decoder({}, header)) {}

  void check(std::int64_t slab, const std::vector<std::byte>& bytes, const lce::any_cube& rows) {
    decoded_.resize(static_cast<std::size_t>(rows.width * rows.height * rows.bands * lce::bytes_of(rows.type)));
    lce::any_mutable_cube copy;
    copy.data = decoded_.data();
    copy.width = rows.width;
    copy.height = rows.height;
    copy.bands = rows.bands;
    copy.x_stride = rows.x_stride;
    copy.y_stride = rows.y_stride;
    copy.band_stride = rows.band_stride;
    copy.type = rows.type;
    lce::decode_options window;
    window.y = header_.first_row(slab);
    decoder_->decode_slab(slab, bytes, 0, copy, window);
    switch (rows.type) {
      case lce::sample_type::u8: compare<std::uint8_t>(rows.data); break;
      case lce::sample_type::u16: compare<std::uint16_t>(rows.data); break;
      case lce::sample_type::i16: compare<std::int16_t>(rows.data); break;
    }
    if (header_.options.mode != lce::coding_mode::lossy && worst > static_cast<int>(header_.max_error())) {
      throw error(errc::corrupt, "--verify: an error of " + std::to_string(worst) + " in slab " + std::to_string(slab) +
                                     "; the bound is " + std::to_string(header_.max_error()));
    }
  }

  int worst = 0;
  double squared = 0;

 private:
  template <class T>
  void compare(const std::byte* original) {
    for (std::size_t i = 0; i < decoded_.size(); i += sizeof(T)) {
      T a;
      T b;
      std::memcpy(&a, original + i, sizeof a);
      std::memcpy(&b, decoded_.data() + i, sizeof b);
      const int difference = std::abs(a - b);
      worst = std::max(worst, difference);
      squared += static_cast<double>(difference) * difference;
    }
  }

  lce::stream_header header_;
  std::unique_ptr<slab_decoder> decoder_;
  std::vector<std::byte> decoded_;
};

}  // namespace

void encode(const encode_settings& settings) {
  cube_reader input(settings.input, settings.hints);
  const cube_layout& layout = input.layout();
  lce::coding_options options = settings.options;
  if (options.slab_rows == 0) {
    options.slab_rows = lce::recommended_slab_rows(layout.width, layout.bands, layout.type);
  }
  auto header = lce::make_header(layout.width, layout.height, layout.bands, layout.type, options, layout.order);
  lce::any_cube rows;
  if (header.slabs() != 0) { rows = input.read_rows(0, header.rows(0)); }
  // What encode() of the library does, with a first slab of its own size.
  if (options.zero_flags == lce::zero_flag_use::where_they_pay && header.slabs() != 0 &&
      !lce::zero_flags_pay(host{settings.coder.threads}, header, 0, rows)) {
    header.options.zero_flags = lce::zero_flag_use::off;
  }
  std::optional<quicklook> look;
  if (!settings.quicklook.empty()) { look.emplace(layout, settings.quicklook_bands); }
  const auto encoder = make_encoder(settings.coder, header);
  std::optional<verifier> check;
  if (settings.verify) { check.emplace(header); }

  atomic_output_file output(settings.output);
  output.write(lce::write_header(header));
  progress line("encoding", true);
  const stopwatch watch;
  std::vector<std::byte> bytes;
  std::future<lce::any_cube> next;  // of which the destructor waits
  for (std::int64_t slab = 0; slab < header.slabs(); ++slab) {
    if (slab != 0) { rows = next.get(); }
    if (slab + 1 < header.slabs()) {
      next = std::async(std::launch::async, [&input, &header, slab] {
        return input.read_rows(header.first_row(slab + 1), header.rows(slab + 1));
      });
    }
    bytes.clear();
    encoder->encode_slab(slab, rows, bytes);
    if (check) { check->check(slab, bytes, rows); }
    if (look) { look->add_rows(rows); }
    output.write(bytes);
    const auto bytes_in_all = static_cast<std::int64_t>(layout.bytes());
    line.show(bytes_in_all / layout.height * (header.first_row(slab) + header.rows(slab)), bytes_in_all);
  }
  const std::uint64_t coded = output.size();
  if (input.header()) {
    const std::string text = input.header()->text();
    output.write(lce::write_segment({'E', 'N', 'V', 'I'}, std::as_bytes(std::span(text))));
  }
  const std::uint64_t size = output.size();
  output.commit();
  if (look) { look->write(settings.quicklook); }

  const double seconds = watch.seconds();
  const double samples =
      std::max(1.0, static_cast<double>(layout.bytes()) / static_cast<double>(layout.sample_bytes()));
  const double bits = 8 * static_cast<double>(coded) / samples;  // the ENVI header does not count
  if (settings.json) {
    json_object report;
    report.add("input_bytes", layout.bytes())
        .add("output_bytes", size)
        .add("metadata_bytes", size - coded)
        .add("bits_per_sample", bits)
        .add("mode", mode_names[static_cast<std::size_t>(options.mode)])
        .add("delta", options.delta);
    if (options.mode != lce::coding_mode::lossy) { report.add("max_error", header.max_error()); }
    if (check) { report.add("true_max_error", check->worst).add("mean_squared_error", check->squared / samples); }
    report.add("seconds", seconds);
    std::printf("%s\n", report.value().text().c_str());
  } else {
    // The report must not mix with a stream on the standard output.
    std::FILE* const to = settings.output == "-" ? stderr : stdout;
    std::fprintf(to, "%llu -> %llu bytes, %.3f bits a sample, %.0f MB/s",
                 static_cast<unsigned long long>(layout.bytes()), static_cast<unsigned long long>(size), bits,
                 static_cast<double>(layout.bytes()) / seconds / 1e6);
    if (check) {
      std::fprintf(to, "; verified, greatest error %d, mean squared error %.4g", check->worst,
                   check->squared / samples);
    }
    std::fputc('\n', to);
  }
}

}  // namespace gpuimg::examples
