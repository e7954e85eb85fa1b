/// @file
/// Encoder and decoder of one block of the LCE-style stream, as docs/lce-format.md words them.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/oracle/lce_bits.hpp"

namespace gpuimg::oracle::lce {

/// The fields of the header that a block depends on.
struct rules {
  int depth = 16;
  number delta = 1;
  number threshold = 1;
  number offset = 0;
  bool lossy = false;
  number gamma = 0;
  int restart = 0;
  int band_group = 0;
  bool zero_flags = false;

  number greatest() const { return (number{1} << depth) - 1; }
  bool restarts_at(std::size_t b) const {
    return b == 0 || (restart > 0 && b % static_cast<std::size_t>(restart) == 0);
  }
};

/// Section 3.3.
struct quantizer {
  const rules& r;
  number threshold;
  number offset;

  quantizer(const rules& all, bool restart_band)
      : r(all),
        threshold(restart_band ? all.delta - all.delta / 2 : all.threshold),
        offset(restart_band ? all.delta / 2 : all.offset) {}

  bool wraps() const { return r.delta == 1 && r.threshold == 1 && r.offset == 0; }
  number limit() const { return wraps() ? r.greatest() : (number{1} << (r.depth - 1)) - 1; }
  number clip(number v) const { return std::min(std::max<number>(v, 0), r.greatest()); }

  number index(number e) const {
    const number magnitude = std::abs(e);
    if (magnitude < threshold) { return 0; }
    const number q = std::min(limit(), 1 + (magnitude - threshold) / r.delta);
    return e < 0 ? -q : q;
  }
  number rebuild(number p, number q) const {
    if (wraps()) { return (p + q + (number{1} << 20)) % (r.greatest() + 1); }
    if (q == 0) { return clip(p); }
    const number value = threshold + (std::abs(q) - 1) * r.delta + offset;
    return clip(q < 0 ? p - value : p + value);
  }
};

using samples = std::vector<number>;

inline number mean_of(const samples& x) {
  number sum = 0;
  for (const number v : x) { sum += v; }
  const auto n = static_cast<number>(x.size());
  return (sum + n / 2) / n;
}

/// The prediction of sample j in a restart band.
inline number neighbours(const samples& p, std::size_t j, std::size_t width) {
  if (j < width) { return p[j - 1]; }
  if (j % width == 0) { return p[j - width]; }
  return (p[j - width] + p[j - 1]) / 2;
}

/// Predictions of a band from the decoded one before it.
inline samples predictions(const rules& r, const samples& before, number mean, number gain) {
  const number mp = mean_of(before);
  samples result;
  for (const number p : before) {
    const number v = mean + floor_divide(gain * (p - mp) + 64, 128);
    result.push_back(std::min(std::max<number>(v, 0), r.greatest()));
  }
  return result;
}

inline void put_codes(bit_list& out, const samples& q, bool restart, bool grouped) {
  const auto zero_from = [&](std::size_t j) {
    return std::all_of(q.begin() + static_cast<std::ptrdiff_t>(j),
                       q.begin() + static_cast<std::ptrdiff_t>(std::min(j + 4, q.size())),
                       [](number v) { return v == 0; });
  };
  for (std::size_t j = 0; j < q.size(); ++j) {
    if (grouped && j % 4 == 0) { out.put(zero_from(j) ? 1 : 0, 1); }
    if (grouped && zero_from(j / 4 * 4)) { continue; }
    if (j == 0) {
      if (!restart) { put_exp_golomb(out, map(q[0])); }
    } else {
      put_golomb(out, map(q[j]), parameter(q, static_cast<int>(j)));
    }
  }
}

inline samples get_codes(bit_list& in, const rules& r, std::size_t count, bool restart, bool grouped) {
  const number limit = quantizer(r, restart).limit();
  samples q;
  bool zero = false;
  bool beyond = false;
  for (std::size_t j = 0; j < count; ++j) {
    if (grouped && j % 4 == 0) { zero = in.get(1) == 1; }
    number value = 0;
    if (j == 0 && !restart && !zero) { value = unmap(get_exp_golomb(in)); }
    if (j > 0 && !zero) { value = unmap(get_golomb(in, parameter(q, static_cast<int>(j)))); }
    beyond = beyond || std::abs(value) > limit;
    q.push_back(value);
  }
  if (beyond) { throw damage("an index beyond its limit"); }
  return q;
}

inline bit_list plain(const rules& r, const samples& x, number head, int head_bits) {
  bit_list out;
  out.put(head, head_bits);
  for (const number v : x) { out.put(v, r.depth); }
  return out;
}

inline bit_list encode_restart(const rules& r, const samples& x, std::size_t width, samples& decoded) {
  const quantizer quantize(r, true);
  bit_list out;
  out.put(0, 1);
  out.put(x[0], r.depth);
  samples q{0};
  samples p{x[0]};
  for (std::size_t j = 1; j < x.size(); ++j) {
    const number prediction = neighbours(p, j, width);
    q.push_back(quantize.index(x[j] - prediction));
    p.push_back(quantize.rebuild(prediction, q[j]));
  }
  put_codes(out, q, true, false);
  const bit_list raw = plain(r, x, 1, 1);
  decoded = out.bits.size() > raw.bits.size() ? x : p;
  return out.bits.size() > raw.bits.size() ? raw : out;
}

inline number best_gain(const samples& x, const samples& p, number mx, number mp) {
  number n = 0;
  number d = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    n += (p[j] - mp) * (x[j] - mx);
    d += (p[j] - mp) * (p[j] - mp);
  }
  if (d == 0) { return 128; }
  return n <= 0 ? 0 : std::min<number>(254, (128 * n + d / 2) / d);
}

inline bit_list encode_predicted(const rules& r, const samples& x, samples& decoded) {
  const quantizer quantize(r, false);
  const number mp = mean_of(decoded);
  const number mx = mean_of(x);
  const number gain = best_gain(x, decoded, mx, mp);
  const samples prediction = predictions(r, decoded, mx, gain);
  samples q;
  number energy = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const number e = x[j] - prediction[j];
    q.push_back(quantize.index(e));
    energy += e * e;
  }
  const bool all_zero = std::all_of(q.begin(), q.end(), [](number v) { return v == 0; });
  const auto n = static_cast<number>(x.size());
  const bool skip = all_zero || (r.lossy && 256 * energy < r.gamma * r.delta * r.delta * n);
  bit_list out;
  out.put(skip ? 1 : 0, 1);
  out.put(gain, 8);
  put_exp_golomb(out, map(mx - mp));
  if (!skip) {
    bit_list codes;
    put_codes(codes, q, false, false);
    bit_list grouped;
    put_codes(grouped, q, false, true);
    const bool shorter = r.zero_flags && grouped.bits.size() < codes.bits.size();
    if (r.zero_flags) { out.put(shorter ? 1 : 0, 1); }
    out.append(shorter ? grouped : codes);
  }
  const bit_list raw = plain(r, x, 2 * 255, 9);
  const bool as_raw = out.bits.size() > raw.bits.size();
  for (std::size_t j = 0; j < x.size(); ++j) {
    decoded[j] = as_raw ? x[j] : skip ? prediction[j] : quantize.rebuild(prediction[j], q[j]);
  }
  return as_raw ? raw : out;
}

/// The string of a block, without padding, and the bits of each group of bands.
inline bit_list encode_block(const rules& r, const std::vector<samples>& bands, std::size_t width,
                             std::vector<number>& group_bits) {
  bit_list out;
  samples decoded;
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const bit_list band =
        r.restarts_at(b) ? encode_restart(r, bands[b], width, decoded) : encode_predicted(r, bands[b], decoded);
    if (r.band_group > 0) {
      if (b % static_cast<std::size_t>(r.band_group) == 0) { group_bits.push_back(0); }
      group_bits.back() += static_cast<number>(band.bits.size());
    }
    out.append(band);
  }
  return out;
}

/// Replaces `decoded`, the band before, by the next one.
inline void decode_band(const rules& r, bit_list& in, bool restart, std::size_t count, std::size_t width,
                        samples& decoded) {
  const auto get_plain = [&] {
    decoded.assign(count, 0);
    for (number& v : decoded) { v = in.get(r.depth); }
  };
  const quantizer quantize(r, restart);
  const bool first_bit = in.get(1) == 1;
  if (restart) {
    if (first_bit) { return get_plain(); }
    samples p{in.get(r.depth)};
    const samples q = get_codes(in, r, count, true, false);
    for (std::size_t j = 1; j < count; ++j) { p.push_back(quantize.rebuild(neighbours(p, j, width), q[j])); }
    decoded = p;
    return;
  }
  const number gain = in.get(8);
  if (!first_bit && gain == 255) { return get_plain(); }
  const number mx = quantize.clip(mean_of(decoded) + unmap(get_exp_golomb(in)));
  samples p = predictions(r, decoded, mx, gain);
  if (!first_bit) {
    const bool grouped = r.zero_flags && in.get(1) == 1;
    const samples q = get_codes(in, r, count, false, grouped);
    for (std::size_t j = 0; j < count; ++j) { p[j] = quantize.rebuild(p[j], q[j]); }
  }
  decoded = p;
}

}  // namespace gpuimg::oracle::lce
