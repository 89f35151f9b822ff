#include "linkers/compiler/digest.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>

namespace thunkvm {
Digest sha256_of_fields(std::initializer_list<std::string_view> fields) {
  sha256_ctx state;
  sha256_init(&state);
  const auto add = [&](const void* bytes, std::size_t size) {
    sha256_update(&state, size, static_cast<const std::uint8_t*>(bytes));
  };
  for (const std::string_view field : fields) {
    const std::uint64_t size = field.size();
    add(&size, sizeof size);
    add(field.data(), field.size());
  }
  Digest digest;
  sha256_digest(&state, digest.size(), digest.data());
  return digest;
}

std::string hexadecimal(const Digest& digest) {
  std::string text(BASE16_ENCODE_LENGTH(digest.size()), '\0');
  base16_encode_update(text.data(), digest.size(), digest.data());
  return text;
}

}  // namespace thunkvm
