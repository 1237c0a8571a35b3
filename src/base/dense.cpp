#include "base/dense.h"

#include <cblas.h>

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "base/large_pages.h"

// LAPACK's own names; Debian has their header in another package.
extern "C" {
void dpotrf_(const char* triangle, const int* size, double* values, const int* stride, int* info,
             std::size_t text_length);
void dpotri_(const char* triangle, const int* size, double* values, const int* stride, int* info,
             std::size_t text_length);
}

namespace sotto::base {

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

// c = keep · c + sign · a · b, where b may be meant transposed.
struct Product {
  std::size_t rows, columns, inner;
  Block a, b, c;
  bool b_turned = false;
  double sign = 1.0, keep = 0.0;
  bool lower = false;  // c is symmetric: only its lower triangle is wanted
};

// Rows from begin to end of c; where only the lower triangle is wanted, up to the diagonal's last column.
void multiply_strip(const Product& p, std::size_t begin, std::size_t end) {
  const Block a = p.a.from(begin, 0), c = p.c.from(begin, 0);
  const auto n = [](std::size_t value) { return static_cast<blasint>(value); };
  cblas_dgemm(CblasRowMajor, CblasNoTrans, p.b_turned ? CblasTrans : CblasNoTrans, n(end - begin),
              n(p.lower ? end : p.columns), n(p.inner), p.sign, a.values, n(a.stride), p.b.values,
              n(p.b.stride), p.keep, c.values, n(c.stride));
}

// Enough strips to go round, none so low that laying out b for it costs more than multiplying. Their columns
// are not cut: OpenBLAS would lay out a once for each piece.
void multiply(const Product& p, Executor& executor) {
  constexpr std::size_t least = 112, most = 512;
  const std::size_t usual = p.lower ? 8 : 4;  // measured; more waste less above the diagonal
  const std::size_t strips =
      std::clamp<std::size_t>(p.rows / least, 1, std::max(usual, (p.rows + most - 1) / most));
  executor.run(strips, [&](std::size_t strip) {
    const std::size_t n = strips - 1 - strip;  // the longest first
    multiply_strip(p, p.rows * n / strips, p.rows * (n + 1) / strips);
  });
}

// Copies the lower triangle into the upper one.
void turn(Block a, std::size_t size, Executor& executor) {
  constexpr std::size_t tile = 32;
  executor.run((size + tile - 1) / tile, [&](std::size_t part) {
    const std::size_t row = part * tile, row_end = std::min(row + tile, size);
    for (std::size_t column = 0; column < row_end; column += tile)
      for (std::size_t r = row; r < row_end; ++r)
        for (std::size_t c = column; c < std::min(column + tile, r); ++c)
          a.values[c * a.stride + r] = a.values[r * a.stride + c];
  });
}

bool invert_leaf(Block a, std::size_t size) {
  const int n = static_cast<int>(size), stride = static_cast<int>(a.stride);
  int info = 0;
  // LAPACK counts by columns: its upper triangle is our lower one.
  dpotrf_("U", &n, a.values, &stride, &info, 1);
  if (info != 0) return false;
  dpotri_("U", &n, a.values, &stride, &info, 1);
  return info == 0;
}

bool invert_block(Block a, std::size_t size, Executor& executor);

// With V = A₁₁⁻¹A₂₁ᵀ and S = A₂₂ − A₂₁V the inverse is [A₁₁⁻¹ + VS⁻¹Vᵀ, ·; −S⁻¹Vᵀ, S⁻¹]. As many operations
// as Cholesky and inversion have together, nearly all of them in large products. V stands above the diagonal,
// where nothing is read until the whole is turned.
bool invert_lower_block(Block a, std::size_t size, Executor& executor) {
  if (size <= leaf) return invert_leaf(a, size);
  const std::size_t first = size / 2, second = size - first;
  const Block a21 = a.from(first, 0), a22 = a.from(first, first), v = a.from(0, first);
  if (!invert_block(a, first, executor)) return false;
  multiply({.rows = first, .columns = second, .inner = first, .a = a, .b = a21, .c = v, .b_turned = true},
           executor);
  multiply({.rows = second,
            .columns = second,
            .inner = first,
            .a = a21,
            .b = v,
            .c = a22,
            .sign = -1.0,
            .keep = 1.0,
            .lower = true},
           executor);
  if (!invert_block(a22, second, executor)) return false;
  multiply({.rows = second,
            .columns = first,
            .inner = second,
            .a = a22,
            .b = v,
            .c = a21,
            .b_turned = true,
            .sign = -1.0},
           executor);
  multiply({.rows = first,
            .columns = first,
            .inner = second,
            .a = v,
            .b = a21,
            .c = a,
            .sign = -1.0,
            .keep = 1.0,
            .lower = true},
           executor);
  return true;
}

bool invert_block(Block a, std::size_t size, Executor& executor) {
  if (!invert_lower_block(a, size, executor)) return false;
  turn(a, size, executor);
  return true;
}

Status invert_by(bool (*method)(Block, std::size_t, Executor&), SymmetricMatrix& matrix, Executor& executor) {
  // The executor's threads are the only ones: more within a call would change the order of sums.
  openblas_set_num_threads(1);
  if (matrix.size() == 0 || method({matrix.row(0).data(), matrix.size()}, matrix.size(), executor))
    return Done{};
  return fail(Code::bad_input,
              "the matrix to invert is not positive definite: raise the regularisation --lambda");
}

}  // namespace

SymmetricMatrix::SymmetricMatrix(std::size_t size) : size_(size), values_(size * size) {
  join_pages(values_.data(), size * size * sizeof(double));
  std::fill_n(values_.data(), size * size, 0.0);
}

Status invert(SymmetricMatrix& matrix, Executor& executor) {
  return invert_by(invert_block, matrix, executor);
}

Status invert_lower(SymmetricMatrix& matrix, Executor& executor) {
  return invert_by(invert_lower_block, matrix, executor);
}

std::string hash_lower(const SymmetricMatrix& matrix, Executor& executor) {
  constexpr std::size_t together = 64;
  std::vector<std::string> strips((matrix.size() + together - 1) / together);
  executor.run(strips.size(), [&](std::size_t strip) {
    Hasher hasher;
    for (std::size_t n = strip * together; n < std::min(matrix.size(), (strip + 1) * together); ++n)
      hasher.array(matrix.row(n).first(n + 1));
    strips[strip] = std::move(hasher).hex();
  });
  Hasher hasher;
  for (const std::string& strip : strips) hasher.text(strip);
  return std::move(hasher).hex();
}

}  // namespace sotto::base
