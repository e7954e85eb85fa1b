// gpuimg-lce: hyperspectral cubes to LCE-style streams and back (docs/lce-format.md).
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "support/command_line.hpp"

#include "gpuimg/core/error.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::examples;

/// "3,4,5" or "3x4x5" with exactly `count` whole numbers.
std::vector<std::int64_t> parse_numbers(const char* option, const std::string& text, std::size_t count,
                                        char separator) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::int64_t value = 0;
    const auto [rest, fault] = std::from_chars(at, end, value);
    require(fault == std::errc() && value >= 0 && (rest == end || *rest == separator), option,
            text + " is not a list of numbers");
    numbers.push_back(value);
    at = rest == end ? end : rest + 1;
  }
  require(numbers.size() == count, option, text + " has not " + std::to_string(count) + " numbers");
  return numbers;
}

interleave parse_order(const std::string& text) {
  return text == "bsq" ? interleave::bsq : text == "bil" ? interleave::bil : interleave::bip;
}

coder_choice parse_coder(const std::string& device, unsigned threads) {
  const auto named = parse_device(device);
  const int number = named ? *named : cuda_device_count() > 0 ? 0 : -1;
  return {number >= 0, number, threads};
}

class encode_command {
 public:
  explicit encode_command(CLI::App& app) {
    CLI::App& c = *app.add_subcommand("encode", "a cube to a stream: lossless unless told otherwise");
    c.add_option("input", s_.input, "ENVI header or the file beside it, .npy, or raw samples with --dims")->required();
    c.add_option("output", s_.output, "stream to write, or - for standard output")->required();
    auto* lossless = c.add_flag("--lossless", lossless_, "every sample comes back (the default)");
    auto* bound = c.add_option("--max-error", max_error_, "no sample differs by more")->check(CLI::Range(0, 32767));
    auto* delta = c.add_option("--delta", delta_, "step of the quantiser; the bound is half of it");
    delta->check(CLI::Range(1, 65535));
    bound->excludes(lossless)->excludes(delta);
    delta->excludes(lossless);
    auto* lossy = c.add_flag("--lossy", lossy_, "drop predictable residuals: no bound")->needs(delta);
    c.add_option("--gamma", gamma_, "--lossy: dropped below gamma delta^2 of mean squared error")
        ->check(CLI::Range(0.0, 255.0))
        ->needs(lossy)
        ->capture_default_str();
    c.add_option("--utq", utq_, "T,OFF: first threshold and reconstruction offset of the quantiser")->needs(delta);
    const char* format = "Format";
    c.add_option("--restart", s_.options.restart, "bands from restart to restart; 0: never")->group(format);
    c.add_option("--band-group", band_group_, "bands of an index group, 1 .. 15; 0: no group index")->group(format);
    c.add_option("--zero-flags", zero_flags_, "on or off; by default, with a bound above 0, what suits the first slab")
        ->check(CLI::IsMember({"on", "off"}))
        ->group(format);
    c.add_flag("--checksums", s_.options.checksums, "a CRC-32 for each block")->group(format);
    c.add_flag("--no-block-index", no_block_index_, "leave out the blocks' lengths")->group(format);
    c.add_option("--slab-rows", s_.options.slab_rows, "rows coded together; about 16 MiB by default")->group(format);
    const char* raw = "Raw and .npy files";
    c.add_option("--dims", dims_, "WxHxB: samples, lines and bands of a raw file")->group(raw);
    c.add_option("--type", type_, "u8, u16 or i16")->check(CLI::IsMember({"u8", "u16", "i16"}))->group(raw);
    c.add_option("--interleave", order_, "bsq, bil or bip; of the axes of a .npy file too")
        ->check(CLI::IsMember({"bsq", "bil", "bip"}))
        ->group(raw);
    c.add_flag("--big-endian", big_endian_, "a raw file has the high byte first")->group(raw);
    c.add_option("--offset", offset_, "bytes before the samples of a raw file")->group(raw);
    c.add_flag("--verify", s_.verify, "decode every slab and compare every sample");
    c.add_option("--quicklook", quicklook_, "R,G,B: bands of a picture, counted from 0");
    c.add_option("--quicklook-file", s_.quicklook, "PNG to write; the output's name with .png by default");
    c.add_flag("--json", s_.json, "report as one JSON object");
    add_device(c, device_, s_.coder.threads);
  }

  encode_settings finish() {
    const auto keep = s_.options;
    if (lossy_) {
      s_.options = lce::coding_options::lossy(delta_, static_cast<std::uint32_t>(std::lround(gamma_ * 256)));
    } else if (delta_ > 1) {
      s_.options = lce::coding_options::near_lossless(1);
      s_.options.set_uniform(delta_);
    } else {
      s_.options = lce::coding_options::near_lossless(max_error_);
    }
    s_.options.restart = keep.restart;
    s_.options.checksums = keep.checksums;
    s_.options.slab_rows = keep.slab_rows;
    s_.options.block_index = !no_block_index_;
    if (band_group_ >= 0) { s_.options.band_group = band_group_; }
    if (!zero_flags_.empty()) {
      s_.options.zero_flags = zero_flags_ == "on" ? lce::zero_flag_use::on : lce::zero_flag_use::off;
    }
    if (!utq_.empty()) {
      const auto numbers = parse_numbers("--utq", utq_, 2, ',');
      s_.options.threshold = static_cast<std::uint32_t>(std::min<std::int64_t>(numbers[0], 65536));
      s_.options.offset = static_cast<std::uint32_t>(std::min<std::int64_t>(numbers[1], 65536));
    }
    finish_input();
    if (!quicklook_.empty()) {
      const auto bands = parse_numbers("--quicklook", quicklook_, 3, ',');
      std::copy(bands.begin(), bands.end(), s_.quicklook_bands.begin());
      if (s_.quicklook.empty()) {
        require(s_.output != "-", "--quicklook", "a stream on the standard output needs --quicklook-file");
        s_.quicklook = s_.output + ".png";
      }
    } else {
      require(s_.quicklook.empty(), "--quicklook-file", "needs --quicklook");
    }
    require(!s_.json || s_.output != "-", "--json", "the standard output has the stream");
    s_.coder = parse_coder(device_, s_.coder.threads);
    return s_;
  }

 private:
  void finish_input() {
    if (!order_.empty()) { s_.hints.order = parse_order(order_); }
    if (dims_.empty()) { return; }
    const auto dims = parse_numbers("--dims", dims_, 3, 'x');
    cube_layout layout;
    layout.width = dims[0];
    layout.height = dims[1];
    layout.bands = dims[2];
    layout.type = type_ == "u8" ? lce::sample_type::u8 : type_ == "i16" ? lce::sample_type::i16 : lce::sample_type::u16;
    layout.order = s_.hints.order.value_or(interleave::bsq);
    layout.big_endian = big_endian_;
    layout.offset = offset_;
    s_.hints.raw = layout;
  }

  encode_settings s_;
  std::string device_ = "auto";
  bool lossless_ = false;
  bool lossy_ = false;
  std::uint32_t max_error_ = 0;
  std::uint32_t delta_ = 0;
  double gamma_ = 0.3;
  std::string utq_;
  int band_group_ = -1;
  std::string zero_flags_;
  bool no_block_index_ = false;
  std::string dims_;
  std::string type_ = "u16";
  std::string order_;
  bool big_endian_ = false;
  std::uint64_t offset_ = 0;
  std::string quicklook_;
};

class decode_command {
 public:
  explicit decode_command(CLI::App& app) {
    CLI::App& c = *app.add_subcommand("decode", "a stream, or a part of it, to a cube file");
    c.add_option("input", s_.input, "stream, or - for standard input")->required();
    c.add_option("output", s_.output, ".hdr, .img, .dat, .bsq, .bil, .bip: ENVI; .npy; else raw; - is standard output")
        ->required();
    c.add_option("--window", window_, "X,Y,W,H: this window only");
    c.add_option("--bands", bands_, "FIRST,COUNT: these bands only");
    c.add_option("--interleave", order_, "bsq, bil or bip; the cube's own by default")
        ->check(CLI::IsMember({"bsq", "bil", "bip"}));
    c.add_flag("--keep-going", s_.keep_going, "decode around damaged blocks and list them; the status is 3 then");
    c.add_flag("--json", s_.json, "report as one JSON object");
    add_device(c, device_, s_.coder.threads);
  }

  decode_settings finish() {
    if (!window_.empty()) {
      const auto n = parse_numbers("--window", window_, 4, ',');
      s_.window = {n[0], n[1], n[2], n[3]};
    }
    if (!bands_.empty()) {
      const auto n = parse_numbers("--bands", bands_, 2, ',');
      s_.bands = {n[0], n[1]};
    }
    if (!order_.empty()) { s_.order = parse_order(order_); }
    require(!s_.json || s_.output != "-", "--json", "the standard output has the samples");
    s_.coder = parse_coder(device_, s_.coder.threads);
    return s_;
  }

 private:
  decode_settings s_;
  std::string device_ = "auto";
  std::string window_;
  std::string bands_;
  std::string order_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Codes hyperspectral cubes: lossless, or within a bound of error.", "gpuimg-lce"};
  app.require_subcommand(1);
  encode_command encoding(app);
  decode_command decoding(app);
  info_settings told;
  CLI::App& info_app = *app.add_subcommand("info", "what a stream says of itself");
  info_app.add_option("input", told.input, "stream, or - for standard input")->required();
  info_app.add_flag("--json", told.json, "report as one JSON object");
  return run_program(app, [&] {
    app.parse(argc, argv);
    bool sound = true;
    if (app.got_subcommand("encode")) {
      encode(encoding.finish());
    } else if (app.got_subcommand("decode")) {
      sound = decode(decoding.finish());
    } else {
      info(told);
    }
    return sound ? 0 : 3;
  });
}
