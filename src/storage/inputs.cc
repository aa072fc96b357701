#include "storage/inputs.h"

#include <arrow/config.h>
#include <arrow/filesystem/localfs.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <functional>
#include <utility>

#include "base/utf8.h"
#include "storage/azure_errors.h"
#include "storage/azure_store.h"
#include "storage/percent_text.h"
#include "storage/store_reads.h"

namespace uzushio {
namespace {

constexpr std::string_view kFileScheme = "file://";

// How long Google's library repeats a request; its own default are 15 minutes, also where there is no network.
constexpr int kGoogleRetrySeconds = 30;

bool IsOnS3(const std::string& uri) { return uri.starts_with("s3://") || uri.starts_with("s3a://"); }
bool IsOnGoogle(const std::string& uri) { return uri.starts_with("gs://") || uri.starts_with("gcs://"); }

// Arrow's S3 is a library of its own, beside its others, which has to be loaded; before Arrow 26 it is part of
// libarrow.
arrow::Status LoadS3() {
  static const arrow::Status kLoaded = [] {
    Dl_info arrow{};
    if (dladdr(reinterpret_cast<void*>(&arrow::GetBuildInfo), &arrow) == 0) {
      return arrow::Status::IOError("s3: Arrow's libraries are not found");
    }
    const std::filesystem::path library = arrow.dli_fname;
    std::string name = library.filename().string();  // libarrow.so.2600, or with another beginning
    name.insert(name.find(".so"), "_s3");
    const std::filesystem::path s3 = library.parent_path() / name;
    if (ARROW_VERSION_MAJOR < 26 && !std::filesystem::exists(s3)) return arrow::Status::OK();
    return arrow::fs::LoadFileSystemFactories(s3.c_str());
  }();
  return kLoaded;
}

// --- URIs ---

std::string Escaped(std::string_view text, const std::function<bool(char)>& is_escaped) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_escaped(c)) {
      ((result += '%') += kHex[byte >> 4]) += kHex[byte & 15];
    } else {
      result += c;
    }
  }
  return result;
}

// A path as a URI of it is written here: what is no UTF-8, would be taken for an escape or a pattern, or ends a line is
// escaped, and nothing else.
std::string EscapedPath(std::string_view path) {
  const bool is_text = IsValidUtf8(path);
  return Escaped(path, [is_text](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F || c == '%' || kGlobCharacters.find(c) != std::string_view::npos ||
           (byte >= 0x80 && !is_text);
  });
}

// A URI as its grammar (RFC 3986) wants it; people write spaces, brackets and letters of any script into them.
std::string StrictUri(std::string_view uri) {
  std::string result;
  while (!uri.empty()) {
    const size_t length = EscapedByte(uri) < 0 ? 1 : 3;
    result += length == 3 ? std::string(uri.substr(0, 3)) : Escaped(uri.substr(0, 1), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) == 0 &&
             std::string_view("-._~!$&'()*+,;=:@/").find(c) == std::string_view::npos;
    });
    uri.remove_prefix(length);
  }
  return result;
}

}  // namespace

size_t SchemeLength(std::string_view text) {
  const size_t length = text.find("://");
  const auto is_of_scheme = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
  };
  if (length == std::string_view::npos || !std::ranges::all_of(text.substr(0, length), is_of_scheme)) return 0;
  return length;
}

namespace {

// Where the credentials of a URI begin, and their bytes; of 0 where it has none.
std::pair<size_t, size_t> FindCredentials(const std::string& uri) {
  const size_t scheme = SchemeLength(uri);
  if (scheme == 0) return {0, 0};
  const size_t begin = scheme + 3;
  const size_t authority = std::min(uri.find('/', begin), uri.size());
  const std::string_view before = std::string_view(uri).substr(0, authority);
  const bool has_colon = before.find(':', begin) != std::string::npos;
  size_t end = before.rfind('@');
  // A secret may have a slash; a bucket's name has no colon.
  if (end == std::string::npos && IsOnS3(uri) && has_colon) end = uri.rfind('@');
  if (end == std::string::npos || end < begin) return {0, 0};
  const std::string_view user = std::string_view(uri).substr(begin, end - begin);
  return {begin, user.find(':') == std::string::npos ? 0 : end + 1 - begin};
}

std::string CredentialsIn(const std::string& uri) {
  const auto [begin, bytes] = FindCredentials(uri);
  return uri.substr(begin, bytes);
}

}  // namespace

std::string WithoutCredentials(const std::string& uri) {
  const auto [begin, bytes] = FindCredentials(uri);
  return WithoutQuery(std::string(uri).erase(begin, bytes));
}

std::string InputFile::uri() const {
  const std::string credentials = filesystem == nullptr ? "" : CredentialsOf(*filesystem);
  return credentials.empty() ? name : std::string(name).insert(SchemeLength(name) + 3, credentials);
}

namespace {

// Whether a path CONTAINER/… is of abfs://CONTAINER@ACCOUNT…/…, and not what a URI ends with.
bool NamesContainerFirst(std::string_view uri, std::string_view path) {
  uri = uri.substr(0, uri.find_last_not_of('/') + 1);
  path = path.substr(0, path.find_last_not_of('/') + 1);
  if (!uri.ends_with(path) || uri.size() == path.size()) return true;
  const char before = uri[uri.size() - path.size() - 1];
  return before != '/' && before != '@';
}

}  // namespace

arrow::Result<InputPlace> LocateInput(const std::string& argument) {
  InputPlace location;
  location.is_given = argument.starts_with('.');
  if (SchemeLength(argument) == 0) {
    location.filesystem = std::make_shared<arrow::fs::LocalFileSystem>();
    // Arrow takes `page:1` for a URI.
    location.path = argument.substr(0, argument.find('/')).find(':') == std::string::npos ? argument : "./" + argument;
    return location;
  }
  std::string uri = StrictUri(argument);
  const bool hadoops = uri.starts_with("s3a://");  // name of the same
  if (hadoops) uri.erase(2, 1);
  if (uri.starts_with("s3://")) ARROW_RETURN_NOT_OK(LoadS3());
  if (IsOnGoogle(uri)) uri += "?retry_limit_seconds=" + std::to_string(kGoogleRetrySeconds);
  const bool is_azure = IsOnAzure(uri);
  const std::string shown = WithoutCredentials(argument);
  if (is_azure && WithoutQuery(argument) != argument) {
    return arrow::Status::Invalid(shown, ": has a query; give a SAS token by AZURE_STORAGE_SAS_TOKEN, and a server by ",
                                  "AZURE_STORAGE_CONNECTION_STRING");
  }
  auto filesystem = is_azure ? OpenAzure(uri, &location.path) : arrow::fs::FileSystemFromUri(uri, &location.path);
  if (!filesystem.ok()) {
    std::string message = filesystem.status().message();
    for (const std::string& named : {uri, argument}) {
      if (const size_t at = message.find(named); at != std::string::npos) message.replace(at, named.size(), shown);
    }
    return filesystem.status().WithMessage(shown, ": ", message);
  }
  std::shared_ptr<arrow::fs::FileSystem> found = *std::move(filesystem);
  if (is_azure) found = WithStatuses(std::move(found));
  const std::string credentials = uri.starts_with("s3://") ? CredentialsIn(argument) : "";
  location.filesystem = IsOfLocalFiles(*found) ? std::move(found) : WithStoreReads(std::move(found), credentials);
  std::string plain = PercentDecoded(shown);
  if (is_azure && NamesContainerFirst(plain, location.path)) {
    location.unnamed = std::min(location.path.find('/'), location.path.size());
  }
  const std::string named = location.path.substr(location.unnamed);
  while (!plain.ends_with(named) && plain.ends_with('/')) plain.pop_back();
  location.prefix = plain.substr(0, plain.size() - std::min(named.size(), plain.size()));
  return location;
}

bool IsRefusal(const arrow::Status& status) {
  constexpr std::array<std::string_view, 9> kWords = {
      "ACCESS_DENIED", "AccessDenied", "PERMISSION_DENIED",     "Permission denied",       "UNAUTHENTICATED",
      " 401",          " 403",         "INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH"};
  return std::ranges::any_of(kWords,
                             [&](std::string_view word) { return status.message().find(word) != std::string::npos; });
}

namespace {

// Of Google's. Its library asks another server for a token first, which may be what does not answer.
arrow::Status AboutGoogle(const std::string& place, const arrow::Status& status) {
  const bool is_refused = status.IsIOError() && IsRefusal(status);
  if (!is_refused && status.message().find("OAuth2 access token") == std::string::npos) return status;
  const auto code = is_refused ? arrow::StatusCode::Invalid : status.code();
  return arrow::Status::FromArgs(
      code, place, ": the store gives no access; set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials",
      ", or run gcloud auth application-default login; a public bucket ",
      "is read without them as gs://anonymous@BUCKET/… (", status.message(), ")");
}

constexpr std::string_view kNoAccess = ": the store gives no access";

// Of Azure's, once.
arrow::Status AboutAzure(const std::string& place, const arrow::Status& status) {
  const std::string& message = status.message();
  const auto says = [&message](std::string_view words) { return message.find(words) != std::string::npos; };
  if (status.IsInvalid() || says(kNoAccess)) return status;
  if (IsOfContainer(status)) {
    return arrow::Status::Invalid(place, ": the account has no such container; create it first (", message, ")");
  }
  const bool finds_none = says("AuthenticationException") || says("DefaultAzureCredential");
  if (!finds_none && !IsRefusal(status)) return status;
  return arrow::Status::Invalid(place, ": the store gives no access; set AZURE_STORAGE_CONNECTION_STRING, ",
                                "AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run az login (", message, ")");
}

}  // namespace

arrow::Status AboutAccess(const std::string& place, const arrow::Status& status) {
  if (IsOnGoogle(place)) return AboutGoogle(place, status);
  if (IsOnAzure(place)) return status.ok() ? status : AboutAzure(place, status);
  if (!IsOnS3(place) || !status.IsIOError() || !IsRefusal(status)) {
    return status;
  }
  return arrow::Status::Invalid(place, ": the store gives no access; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ",
                                "or AWS_PROFILE to a profile of ~/.aws; a public bucket is read without keys as ",
                                "s3://anonymous@BUCKET/… (", status.message(), ")");
}

arrow::Result<arrow::fs::FileInfo> InputPlace::Look(const std::string& shown) const {
  auto info = filesystem->GetFileInfo(path);
  if (!info.ok()) return AboutAccess(shown, info.status());
  return info;
}

InputFile InputPlace::File(const arrow::fs::FileInfo& info) const {
  std::string name = info.path();
  // What is below the working folder is named without it, unless the argument names it.
  if (name.starts_with("./") && !is_given) name.erase(0, 2);
  name = prefix.empty() ? NameOfPath(name) : prefix + EscapedPath(name.substr(std::min(unnamed, name.size())));
  return {std::move(name), info.path(), info.size(), filesystem, info.mtime(), nullptr};
}

std::string BeforeWildcards(const std::string& path) {
  const size_t glob = path.find_first_of(kGlobCharacters);
  if (glob == std::string::npos) return path;
  const size_t slash = path.rfind('/', glob);
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

std::string NameOfPath(const std::string& path) {
  if (IsValidUtf8(path)) return path;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return std::string(kFileScheme) + EscapedPath(error ? path : whole.native());
}

std::string PathOfName(const std::string& name) {
  return name.starts_with(kFileScheme) ? PercentDecoded(std::string_view(name).substr(kFileScheme.size())) : name;
}

arrow::Result<std::string> DescribePlace(const std::string& argument) {
  ARROW_ASSIGN_OR_RAISE(const InputPlace location, LocateInput(argument));
  const std::string shown = WithoutCredentials(argument);
  ARROW_ASSIGN_OR_RAISE(const arrow::fs::FileInfo info, location.Look(shown));
  if (info.IsFile()) return "a file of " + std::to_string(info.size()) + " bytes";
  if (info.IsDirectory()) return "a folder, which can be read";
  return arrow::Status::Invalid(shown, ": no such file or folder");
}

arrow::Result<InputFile> OpenInput(const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const InputPlace location, LocateInput(name));
  const std::string shown = WithoutCredentials(name);
  ARROW_ASSIGN_OR_RAISE(const arrow::fs::FileInfo info, location.Look(shown));
  if (info.IsDirectory()) {
    const std::string all = shown + (shown.ends_with('/') ? "*" : "/*");
    return arrow::Status::Invalid(shown, ": is a folder, and a file is expected; the pattern ", all,
                                  " names its files");
  }
  if (!info.IsFile()) return arrow::Status::Invalid(shown, ": no such file");
  InputFile file = location.File(info);
  file.name = location.prefix.empty() ? NameOfPath(name) : shown;
  return file;
}

}  // namespace uzushio
