#include "linkers/compiler/digest.h"

#include <nettle/sha2.h>

namespace thunkvm {
namespace {

class Sha256 {
 public:
  Sha256() { sha256_init(&state_); }
  void add(std::string_view bytes) {
    sha256_update(&state_, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  }
  Digest finish() {
    Digest digest;
    sha256_digest(&state_, digest.size(), digest.data());
    return digest;
  }

 private:
  sha256_ctx state_;
};

}  // namespace

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

Digest sha256_of_fields(std::initializer_list<std::string_view> fields) {
  Sha256 hash;
  for (const std::string_view field : fields) {
    const std::uint64_t size = field.size();
    hash.add({reinterpret_cast<const char*>(&size), sizeof size});
    hash.add(field);
  }
  return hash.finish();
}

std::string hexadecimal(const Digest& digest) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace thunkvm
