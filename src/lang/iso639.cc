#include "lang/iso639.h"

#include <algorithm>
#include <array>
#include <utility>

namespace uzushio {
namespace {

// ISO 639-1 and ISO 639-3 (of macrolanguages where there are such), in order; `iw`, `jw` and others are older codes.
constexpr auto kCodes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"aa", "aar"}, {"ab", "abk"}, {"af", "afr"}, {"ak", "aka"}, {"am", "amh"}, {"an", "arg"}, {"ar", "ara"},
    {"as", "asm"}, {"av", "ava"}, {"ay", "aym"}, {"az", "aze"}, {"ba", "bak"}, {"be", "bel"}, {"bg", "bul"},
    {"bh", "bih"}, {"bi", "bis"}, {"bm", "bam"}, {"bn", "ben"}, {"bo", "bod"}, {"br", "bre"}, {"bs", "bos"},
    {"ca", "cat"}, {"ce", "che"}, {"ch", "cha"}, {"co", "cos"}, {"cr", "cre"}, {"cs", "ces"}, {"cv", "chv"},
    {"cy", "cym"}, {"da", "dan"}, {"de", "deu"}, {"dv", "div"}, {"dz", "dzo"}, {"ee", "ewe"}, {"el", "ell"},
    {"en", "eng"}, {"eo", "epo"}, {"es", "spa"}, {"et", "est"}, {"eu", "eus"}, {"fa", "fas"}, {"ff", "ful"},
    {"fi", "fin"}, {"fj", "fij"}, {"fo", "fao"}, {"fr", "fra"}, {"fy", "fry"}, {"ga", "gle"}, {"gd", "gla"},
    {"gl", "glg"}, {"gn", "grn"}, {"gu", "guj"}, {"gv", "glv"}, {"ha", "hau"}, {"he", "heb"}, {"hi", "hin"},
    {"hr", "hrv"}, {"ht", "hat"}, {"hu", "hun"}, {"hy", "hye"}, {"ia", "ina"}, {"id", "ind"}, {"ie", "ile"},
    {"ig", "ibo"}, {"ik", "ipk"}, {"is", "isl"}, {"it", "ita"}, {"iu", "iku"}, {"iw", "heb"}, {"ja", "jpn"},
    {"jv", "jav"}, {"jw", "jav"}, {"ka", "kat"}, {"kk", "kaz"}, {"kl", "kal"}, {"km", "khm"}, {"kn", "kan"},
    {"ko", "kor"}, {"ks", "kas"}, {"ku", "kur"}, {"kw", "cor"}, {"ky", "kir"}, {"la", "lat"}, {"lb", "ltz"},
    {"lg", "lug"}, {"ln", "lin"}, {"lo", "lao"}, {"lt", "lit"}, {"lv", "lav"}, {"mg", "mlg"}, {"mi", "mri"},
    {"mk", "mkd"}, {"ml", "mal"}, {"mn", "mon"}, {"mo", "ron"}, {"mr", "mar"}, {"ms", "msa"}, {"mt", "mlt"},
    {"my", "mya"}, {"na", "nau"}, {"nb", "nob"}, {"ne", "nep"}, {"nl", "nld"}, {"nn", "nno"}, {"no", "nor"},
    {"nr", "nbl"}, {"nv", "nav"}, {"ny", "nya"}, {"oc", "oci"}, {"om", "orm"}, {"or", "ori"}, {"os", "oss"},
    {"pa", "pan"}, {"pl", "pol"}, {"ps", "pus"}, {"pt", "por"}, {"qu", "que"}, {"rm", "roh"}, {"rn", "run"},
    {"ro", "ron"}, {"ru", "rus"}, {"rw", "kin"}, {"sa", "san"}, {"sc", "srd"}, {"sd", "snd"}, {"sg", "sag"},
    {"si", "sin"}, {"sk", "slk"}, {"sl", "slv"}, {"sm", "smo"}, {"sn", "sna"}, {"so", "som"}, {"sq", "sqi"},
    {"sr", "srp"}, {"ss", "ssw"}, {"st", "sot"}, {"su", "sun"}, {"sv", "swe"}, {"sw", "swa"}, {"ta", "tam"},
    {"te", "tel"}, {"tg", "tgk"}, {"th", "tha"}, {"ti", "tir"}, {"tk", "tuk"}, {"tl", "tgl"}, {"tn", "tsn"},
    {"to", "ton"}, {"tr", "tur"}, {"ts", "tso"}, {"tt", "tat"}, {"tw", "twi"}, {"ty", "tah"}, {"ug", "uig"},
    {"uk", "ukr"}, {"ur", "urd"}, {"uz", "uzb"}, {"ve", "ven"}, {"vi", "vie"}, {"vo", "vol"}, {"wa", "wln"},
    {"wo", "wol"}, {"xh", "xho"}, {"yi", "yid"}, {"yo", "yor"}, {"za", "zha"}, {"zh", "zho"}, {"zu", "zul"},
});
static_assert(std::ranges::is_sorted(kCodes));

}  // namespace

std::string_view Iso639Part3(std::string_view code) {
  if (code == "und") return {};
  code = code.substr(0, code.find('-'));
  if (code.size() == 3) {
    // Views live for ever; of codes of three letters CLD2 names few.
    constexpr auto kLong = std::to_array<std::string_view>(
        {"ceb", "chr", "haw", "hmn", "kha", "lif", "mfe", "nso", "sco", "syr", "tlh", "war"});
    const auto found = std::ranges::find(kLong, code);
    return found == kLong.end() ? std::string_view() : *found;
  }
  const auto found = std::ranges::lower_bound(kCodes, code, {}, &std::pair<std::string_view, std::string_view>::first);
  return found != kCodes.end() && found->first == code ? found->second : std::string_view();
}

}  // namespace uzushio
