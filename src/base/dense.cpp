#include "base/dense.h"

#include <cblas.h>

#include <algorithm>

#include "base/large_pages.h"

// LAPACK's own names; Debian has their header in another package.
extern "C" {
void dpotrf_(const char* triangle, const int* size, double* values, const int* stride, int* info,
             std::size_t text_length);
void dpotri_(const char* triangle, const int* size, double* values, const int* stride, int* info,
             std::size_t text_length);
}

namespace sotto {

namespace {

constexpr std::size_t leaf = 128;  // inverted by LAPACK; measured

// A block of a matrix: its first value, and the distance between rows.
struct Block {
  double* values;
  std::size_t stride;
  [[nodiscard]] Block from(std::size_t row, std::size_t column) const {
    return {values + row * stride + column, stride};
  }
};

// c = keep · c + sign · a · b, where a or b may be meant transposed.
struct Product {
  std::size_t rows, columns, inner;
  Block a, b, c;
  bool a_turned = false, b_turned = false;
  double sign = 1.0, keep = 0.0;
  bool lower = false;  // c is symmetric: only tiles that reach the diagonal or lie below are wanted
};

struct Cut {
  std::size_t length, parts;
  [[nodiscard]] std::size_t begin(std::size_t part) const { return length * part / parts; }
  [[nodiscard]] std::size_t size(std::size_t part) const { return begin(part + 1) - begin(part); }
};

// Enough tiles to go round, none so small that laying it out costs more than multiplying.
Cut cut(std::size_t length, std::size_t usual_parts) {
  constexpr std::size_t least = 112, most = 512;
  const std::size_t parts =
      std::clamp<std::size_t>(length / least, 1, std::max(usual_parts, (length + most - 1) / most));
  return {length, parts};
}

void multiply_tile(const Product& p, const Cut& down, const Cut& across, std::size_t r, std::size_t c) {
  const std::size_t row = down.begin(r), column = across.begin(c);
  const Block a = p.a_turned ? p.a.from(0, row) : p.a.from(row, 0);
  const Block b = p.b_turned ? p.b.from(column, 0) : p.b.from(0, column);
  const Block out = p.c.from(row, column);
  const auto n = [](std::size_t value) { return static_cast<blasint>(value); };
  cblas_dgemm(CblasRowMajor, p.a_turned ? CblasTrans : CblasNoTrans, p.b_turned ? CblasTrans : CblasNoTrans,
              n(down.size(r)), n(across.size(c)), n(p.inner), p.sign, a.values, n(a.stride), b.values,
              n(b.stride), p.keep, out.values, n(out.stride));
}

void multiply(const Product& p, Executor& executor) {
  const std::size_t usual = p.lower ? 8 : 4;
  const Cut down = cut(p.rows, usual), across = cut(p.columns, usual);
  if (!p.lower) {
    executor.run(down.parts * across.parts, [&](std::size_t tile) {
      multiply_tile(p, down, across, tile / across.parts, tile % across.parts);
    });
    return;
  }
  executor.run(down.parts * (down.parts + 1) / 2, [&](std::size_t tile) {
    std::size_t r = 0;
    while (tile > r) tile -= ++r;
    multiply_tile(p, down, across, r, tile);
  });
}

// `turned` (columns × rows) becomes the transpose of `from`; with from = turned, the lower triangle is
// copied into the upper one.
void turn(Block from, Block turned, std::size_t rows, std::size_t columns, Executor& executor) {
  constexpr std::size_t tile = 32;
  const bool same = from.values == turned.values;
  executor.run((rows + tile - 1) / tile, [&](std::size_t part) {
    const std::size_t row = part * tile, row_end = std::min(row + tile, rows);
    for (std::size_t column = 0; column < (same ? row_end : columns); column += tile)
      for (std::size_t r = row; r < row_end; ++r)
        for (std::size_t c = column; c < std::min(column + tile, same ? r : columns); ++c)
          turned.values[c * turned.stride + r] = from.values[r * from.stride + c];
  });
}

bool invert_leaf(Block a, std::size_t size, Executor& executor) {
  const int n = static_cast<int>(size), stride = static_cast<int>(a.stride);
  int info = 0;
  // LAPACK counts by columns: its upper triangle is our lower one.
  dpotrf_("U", &n, a.values, &stride, &info, 1);
  if (info != 0) return false;
  dpotri_("U", &n, a.values, &stride, &info, 1);
  if (info != 0) return false;
  turn(a, a, size, size, executor);
  return true;
}

// With W = A₂₁A₁₁⁻¹ and S = A₂₂ − WA₂₁ᵀ the inverse is [A₁₁⁻¹ + WᵀS⁻¹W, ·; −S⁻¹W, S⁻¹]. As many operations as
// Cholesky and inversion have together, nearly all of them in large products.
bool invert_block(Block a, std::size_t size, Executor& executor) {
  if (size <= leaf) return invert_leaf(a, size, executor);
  const std::size_t first = size / 2, second = size - first;
  const Block a21 = a.from(first, 0), a22 = a.from(first, first), a12 = a.from(0, first);
  if (!invert_block(a, first, executor)) return false;
  AlignedBuffer<double> room(second * first);
  const Block w{room.data(), first};
  multiply({.rows = second, .columns = first, .inner = first, .a = a21, .b = a, .c = w}, executor);
  multiply({.rows = second,
            .columns = second,
            .inner = first,
            .a = w,
            .b = a21,
            .c = a22,
            .b_turned = true,
            .sign = -1.0,
            .keep = 1.0,
            .lower = true},
           executor);
  if (!invert_block(a22, second, executor)) return false;
  multiply({.rows = second, .columns = first, .inner = second, .a = a22, .b = w, .c = a21, .sign = -1.0},
           executor);
  multiply({.rows = first,
            .columns = first,
            .inner = second,
            .a = w,
            .b = a21,
            .c = a,
            .a_turned = true,
            .sign = -1.0,
            .keep = 1.0,
            .lower = true},
           executor);
  turn(a, a, first, first, executor);
  turn(a21, a12, second, first, executor);
  return true;
}

}  // namespace

SymmetricMatrix::SymmetricMatrix(std::size_t size) : size_(size), values_(size * size) {
  join_pages(values_.data(), size * size * sizeof(double));
  std::fill_n(values_.data(), size * size, 0.0);
}

Status invert(SymmetricMatrix& matrix, Executor& executor) {
  // The executor's threads are the only ones: more within a call would change the order of sums.
  openblas_set_num_threads(1);
  if (matrix.size() == 0) return Done{};
  if (!invert_block({matrix.row(0).data(), matrix.size()}, matrix.size(), executor))
    return fail(Code::bad_input,
                "the matrix to invert is not positive definite: raise the regularisation --lambda");
  return Done{};
}

}  // namespace sotto
