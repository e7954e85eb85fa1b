#include <algorithm>
#include <string>

#include "commands.hpp"
#include "stream_input.hpp"
#include "support/picture_io.hpp"
#include "support/report.hpp"

#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {

namespace {

/// Streams do not name an opacity: the last of two and of four unsigned components is one, as PNG has it.
picture_format file_format(const paco::picture_format& p) {
  picture_format f{p.width, p.height, p.components, p.depth, p.is_signed};
  f.has_alpha = !p.is_signed && (p.components == 2 || p.components == 4);
  return f;
}

/// One stream on its way into a picture.
class decoding {
 public:
  explicit decoding(const decode_settings& settings)
      : settings_(settings), stream_(settings.input), header_(stream_.header()), format_(file_format(header_.picture)) {
    if (header_.tiles() == 0) {
      throw error(errc::unsupported, stream_.name() + ": an empty picture of " + std::to_string(format_.width) + "x" +
                                         std::to_string(format_.height) + " fits into no file");
    }
    const block_size block{1 << header_.block_width_log2, 1 << header_.block_height_log2};
    paco::encode_options unused;
    backend_ = make_backend(settings.device, block, unused);
    backend_->check(header_);
    const auto sample = static_cast<std::uint64_t>(format_.bytes_per_sample());
    row_bytes_ = saturating_product(static_cast<std::uint64_t>(format_.width),
                                    static_cast<std::uint64_t>(format_.components) * sample);
    const auto height = static_cast<std::uint64_t>(std::min(header_.tile_height, format_.height));
    fixed_bytes_ = saturating_sum(saturating_product(row_bytes_, height), backend_->decoding_workspace(header_));
    require_memory(fixed_bytes_, settings.memory_limit, stream_.name() + ": a row of tiles");
  }

  void run() {
    const auto writer = picture_writer::open(settings_.output, format_, settings_.kind);
    progress bar("gpuimg-paco: decoding");
    for (std::int64_t i = 0; i < header_.tiles(); ++i) {
      const paco::tile_rectangle t = paco::tile_of(header_, i);
      const std::uint64_t length = stream_.next_tile(i).length;
      require_memory(saturating_sum(fixed_bytes_, length), settings_.memory_limit,
                     stream_.name() + ": tile " + std::to_string(i));
      const auto rows = rows_.take(row_bytes_ * static_cast<std::uint64_t>(t.height));
      decode_tile(i, t, rows);
      if (t.x + t.width == format_.width) write_rows(*writer, t.height, rows, bar);
      bar.show(i + 1, header_.tiles() + 1);
    }
    stream_.finish();
    stream_bytes_ = stream_.position();
    writer->finish();
  }

  json report() const;
  std::string summary() const;

 private:
  void decode_tile(std::int64_t index, const paco::tile_rectangle& t, std::span<std::byte> rows) {
    const auto payload = stream_.read_payload(payload_);
    const auto pixel_bytes = static_cast<std::size_t>(row_bytes_ / static_cast<std::uint64_t>(format_.width));
    const timed_scope time(seconds_);
    backend_->decode_tile(header_, payload, index, stream_.payload_offset(),
                          {rows.data() + static_cast<std::size_t>(t.x) * pixel_bytes, t.width, t.height,
                           format_.components, static_cast<std::int64_t>(row_bytes_)});
  }

  void write_rows(picture_writer& writer, std::int64_t count, std::span<const std::byte> rows, progress& bar) {
    constexpr std::int64_t step = 64;
    for (std::int64_t y = 0; y < count; y += step) {
      const std::int64_t n = std::min(step, count - y);
      writer.write_rows(
          n, rows.subspan(static_cast<std::size_t>(y) * row_bytes_, static_cast<std::size_t>(n) * row_bytes_));
      if (header_.tiles() == 1) bar.show(count + y + n, 2 * count);
    }
  }

  std::uint64_t sample_count() const {
    return static_cast<std::uint64_t>(format_.samples_per_row()) * static_cast<std::uint64_t>(format_.height);
  }

  const decode_settings& settings_;
  stream_input stream_;
  const paco::stream_header& header_;
  picture_format format_;
  std::unique_ptr<paco_backend> backend_;
  std::uint64_t row_bytes_ = 0;
  std::uint64_t fixed_bytes_ = 0;  ///< memory for a row of tiles and the coder
  byte_buffer rows_;
  byte_buffer payload_;
  std::uint64_t stream_bytes_ = 0;
  double seconds_ = 0;
  stopwatch total_;
};

json decoding::report() const {
  json_object all;
  all.add("command", "decode")
      .add("input", settings_.input)
      .add("output", settings_.output)
      .add("width", format_.width)
      .add("height", format_.height)
      .add("components", format_.components)
      .add("depth", format_.depth)
      .add("signed", format_.is_signed)
      .add("lossless", header_.lossless)
      .add("tiles", header_.tiles())
      .add("raw_bytes", static_cast<std::uint64_t>(format_.bytes()))
      .add("stream_bytes", stream_bytes_)
      .add("device", backend_->device())
      .add("seconds", seconds_)
      .add("msamples_per_second", static_cast<double>(sample_count()) / seconds_ / 1e6)
      .add("total_seconds", total_.seconds())
      .add("peak_bytes", peak_bytes());
  return all.value();
}

std::string decoding::summary() const {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "%lldx%lld, %d component%s of %d bits%s, %.3f s on %s",
                static_cast<long long>(format_.width), static_cast<long long>(format_.height), format_.components,
                format_.components == 1 ? "" : "s", format_.depth, header_.lossless ? ", lossless" : "", seconds_,
                backend_->device().c_str());
  return text.data();
}

}  // namespace

int decode(const decode_settings& settings) {
  decoding work(settings);
  work.run();
  std::FILE* out = settings.output == "-" ? stderr : stdout;
  if (settings.report == report_kind::json) std::fprintf(out, "%s\n", work.report().text().c_str());
  if (settings.report == report_kind::text) std::fprintf(out, "%s\n", work.summary().c_str());
  return 0;
}

}  // namespace gpuimg::examples
