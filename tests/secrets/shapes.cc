#include "tests/secrets/shapes.h"

#include <charconv>

namespace turnlog {
namespace {

// "0-9a-f_" as a list of letters.
std::string LettersOf(std::string_view letter_class) {
  std::string letters;
  for (std::size_t i = 0; i < letter_class.size(); ++i) {
    if (i + 2 < letter_class.size() && letter_class[i + 1] == '-') {
      for (int letter = letter_class[i]; letter <= letter_class[i + 2]; ++letter)
        letters.push_back(static_cast<char>(letter));
      i += 2;
    } else {
      letters.push_back(letter_class[i]);
    }
  }
  return letters;
}

void Replace(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::string Sample(std::string_view shape, FakeSecrets& fake) {
  std::string text;
  for (std::size_t at = 0; at < shape.size();) {
    std::string letters(1, shape[at]);
    std::size_t next = at + 1;
    if (shape[at] == '[') {
      const std::size_t end = shape.find(']', at);
      letters = LettersOf(shape.substr(at + 1, end - at - 1));
      next = end + 1;
    }
    std::size_t count = 1;
    if (next < shape.size() && shape[next] == '{') {
      std::from_chars(shape.data() + next + 1, shape.data() + shape.size(), count);
      next = shape.find('}', next) + 1;
    }
    text += letters.size() > 1 ? fake.Of(letters, count) : std::string(count, letters[0]);
    at = next;
  }
  return text;
}

const std::vector<KeyShape>& KeyShapes() {
  static const std::vector<KeyShape> shapes = {
      {"age-secret-key", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"},
      {"grafana-api-key", "eyJrIjoi[0-9A-Za-z]{80}"},
      {"aws-access-key-id", "AKIA[A-Z2-7]{16}"},
      {"aws-access-key-id", "ASIA[A-Z2-7]{16}"},
      {"bedrock-key", "ABSK[0-9A-Za-z+/]{109}"},
      {"bedrock-key", "bedrock-api-key-[0-9A-Za-z]{200}"},
      {"google-api-key", "AIza[0-9A-Za-z_-]{35}"},
      {"google-api-key", "AQ.Ab[0-9A-Za-z_-]{50}"},
      {"google-oauth-client-secret", "GOCSPX-[0-9A-Za-z_-]{28}"},
      {"google-oauth-token", "ya29.[0-9A-Za-z_-]{120}"},
      {"google-oauth-token", "1//0[0-9A-Za-z_-]{60}"},
      {"azure-client-secret", "[0-9A-Za-z]{3}8Q~[0-9A-Za-z]{34}"},
      {"azure-ai-key", "[0-9A-Za-z]{52}JQQJ99[0-9A-Z]{26}"},
      {"alibaba-access-key-id", "LTAI[0-9A-Za-z]{20}"},
      {"digitalocean-token", "dop_v1_[0-9a-f]{64}"},
      {"heroku-key", "HRKU-AA[0-9A-Za-z_-]{58}"},
      {"databricks-token", "dapi[0-9a-f]{32}"},
      {"vault-token", "hvs.[0-9A-Za-z]{90}"},
      {"terraform-token", "[0-9A-Za-z]{14}.atlasv1.[0-9A-Za-z_-]{67}"},
      {"pulumi-token", "pul-[0-9a-f]{40}"},
      {"doppler-token", "dp.pt.[0-9A-Za-z]{43}"},
      {"tailscale-key", "tskey-auth-[0-9A-Za-z]{14}-[0-9A-Za-z]{32}"},
      {"fly-token", "fo1_[0-9A-Za-z_-]{43}"},
      {"fly-token", "fm2_[0-9A-Za-z+/]{300}"},
      {"supabase-key", "sbp_[0-9a-f]{40}"},
      {"netlify-token", "nfp_[0-9A-Za-z]{36}"},
      {"planetscale-token", "pscale_tkn_[0-9A-Za-z_-]{43}"},
      {"neon-key", "napi_[0-9a-z]{64}"},
      {"vercel-token", "vcp_[0-9A-Za-z]{56}"},
      {"render-key", "rnd_[0-9A-Za-z]{32}"},
      {"scalingo-token", "tk-us-[0-9A-Za-z_-]{48}"},
      {"cloudflare-origin-key", "v1.0-[0-9a-f]{24}-[0-9a-f]{146}"},
      {"clickhouse-secret", "4b1d[0-9A-Za-z]{38}"},
      {"openshift-token", "sha256~[0-9A-Za-z_-]{43}"},
      {"yandex-key", "AQVN[0-9A-Za-z_-]{36}"},
      {"defined-networking-token", "dnkey-[0-9A-Za-z]{26}-[0-9A-Za-z]{52}"},
      {"prefect-token", "pnu_[0-9a-z]{36}"},
      {"github-token", "ghp_[0-9A-Za-z]{36}"},
      {"github-token", "gho_[0-9A-Za-z]{36}"},
      {"github-token", "ghu_[0-9A-Za-z]{36}"},
      {"github-token", "ghs_[0-9A-Za-z]{36}"},
      {"github-token", "ghr_[0-9A-Za-z]{76}"},
      {"github-fine-grained-token", "github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}"},
      {"gitlab-token", "glpat-[0-9A-Za-z_-]{20}"},
      {"gitlab-token", "glpat-[0-9A-Za-z]{27}.01.[0-9a-z]{9}"},
      {"gitlab-token", "gldt-[0-9A-Za-z_-]{20}"},
      {"gitlab-token", "glptt-[0-9a-f]{40}"},
      {"atlassian-token", "ATATT3[0-9A-Za-z_-]{180}=[0-9A-F]{8}"},
      {"atlassian-token", "ATBB[0-9A-Za-z]{32}"},
      {"npm-token", "npm_[0-9A-Za-z]{36}"},
      {"pypi-token", "pypi-AgE[0-9A-Za-z_-]{160}"},
      {"rubygems-key", "rubygems_[0-9a-f]{48}"},
      {"crates-token", "cio[0-9A-Za-z]{32}"},
      {"clojars-token", "CLOJARS_[0-9a-f]{60}"},
      {"docker-hub-token", "dckr_pat_[0-9A-Za-z_-]{27}"},
      {"jfrog-token", "AKCp[0-9A-Za-z]{69}"},
      {"jfrog-token", "cmVmdGtuO[0-9A-Za-z]{55}"},
      {"buildkite-token", "bkua_[0-9a-f]{40}"},
      {"circleci-token", "CCIPAT_[0-9A-Za-z]{22}_[0-9a-f]{40}"},
      {"harness-token", "pat.[0-9A-Za-z_-]{22}.[0-9A-Za-z]{24}.[0-9A-Za-z]{20}"},
      {"octopus-key", "API-[0-9A-Z]{26}"},
      {"sonar-token", "squ_[0-9a-f]{40}"},
      {"sourcegraph-token", "sgp_[0-9a-f]{16}_[0-9a-f]{40}"},
      {"snyk-token", "snyk_uat.[0-9a-f]{8}.[0-9A-Za-z_-]{60}"},
      {"infracost-key", "ico-[0-9A-Za-z]{32}"},
      {"codecov-token", "codecov_[0-9A-Za-z]{40}"},
      {"readme-key", "rdme_[0-9a-z]{70}"},
      {"settlemint-token", "sm_pat_[0-9A-Za-z]{16}"},
      {"maxmind-key", "[0-9A-Za-z]{6}_[0-9A-Za-z]{29}_mmk"},
      {"openai-key", "sk-[0-9A-Za-z]{20}T3BlbkFJ[0-9A-Za-z]{20}"},
      {"openai-key", "sk-proj-[0-9A-Za-z_-]{74}T3BlbkFJ[0-9A-Za-z_-]{74}"},
      {"openai-key", "sk-svcacct-[0-9A-Za-z_-]{120}"},
      {"anthropic-key", "sk-ant-api03-[0-9A-Za-z_-]{93}AA"},
      {"anthropic-key", "sk-ant-oat01-[0-9A-Za-z_-]{93}AA"},
      {"openrouter-key", "sk-or-v1-[0-9a-f]{64}"},
      {"langfuse-key", "sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"},
      {"sk-key", "sk-[0-9a-f]{32}"},
      {"elevenlabs-key", "sk_[0-9a-f]{48}"},
      {"groq-key", "gsk_[0-9A-Za-z]{52}"},
      {"perplexity-key", "pplx-[0-9A-Za-z]{48}"},
      {"xai-key", "xai-[0-9A-Za-z]{80}"},
      {"hugging-face-token", "hf_[0-9A-Za-z]{34}"},
      {"replicate-token", "r8_[0-9A-Za-z]{37}"},
      {"nvidia-key", "nvapi-[0-9A-Za-z_-]{64}"},
      {"cerebras-key", "csk-[0-9a-z]{48}"},
      {"fireworks-key", "fw_[0-9A-Za-z]{24}"},
      {"together-key", "tgp_v1_[0-9A-Za-z_-]{43}"},
      {"langsmith-key", "lsv2_pt_[0-9a-f]{32}_[0-9a-f]{10}"},
      {"pinecone-key", "pcsk_[0-9A-Za-z]{6}_[0-9A-Za-z]{63}"},
      {"tavily-key", "tvly-dev-[0-9A-Za-z]{32}"},
      {"firecrawl-key", "fc-[0-9a-f]{32}"},
      {"voyage-key", "pa-[0-9A-Za-z_-]{43}"},
      {"jina-key", "jina_[0-9A-Za-z_-]{60}"},
      {"e2b-key", "e2b_[0-9a-f]{40}"},
      {"cursor-key", "key_[0-9a-f]{64}"},
      {"resend-key", "re_[0-9A-Za-z]{8}_[0-9A-Za-z]{24}"},
      {"brave-key", "BSA[0-9A-Za-z_-]{28}"},
      {"llamacloud-key", "llx-[0-9A-Za-z]{48}"},
      {"wandb-key", "wandb_v1_[0-9A-Za-z_-]{77}"},
      {"runpod-key", "rpa_[0-9A-Z]{44}"},
      {"anyscale-key", "esecret_[0-9a-z]{40}"},
      {"mem0-key", "m0-[0-9A-Za-z]{40}"},
      {"nomic-key", "nk-[0-9A-Za-z_-]{43}"},
      {"browserbase-key", "bb_live_[0-9A-Za-z_-]{27}"},
      {"apify-token", "apify_api_[0-9A-Za-z]{36}"},
      {"slack-token", "xoxb-[0-9]{12}-[0-9]{12}-[0-9A-Za-z]{24}"},
      {"slack-token", "xapp-1-A[0-9A-Z]{10}-[0-9]{13}-[0-9a-f]{64}"},
      {"telegram-bot-token", "[0-9]{10}:AA[0-9A-Za-z_-]{33}"},
      {"twilio-key", "SK[0-9a-f]{32}"},
      {"sendgrid-key", "SG.[0-9A-Za-z_-]{22}.[0-9A-Za-z_-]{43}"},
      {"mailgun-key", "key-[0-9a-f]{32}"},
      {"mailchimp-key", "[0-9a-f]{32}-us12"},
      {"brevo-key", "xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}"},
      {"stripe-key", "sk_live_[0-9A-Za-z]{24}"},
      {"stripe-key", "rk_test_[0-9A-Za-z]{99}"},
      {"stripe-key", "whsec_[0-9A-Za-z]{32}"},
      {"square-token", "sq0atp-[0-9A-Za-z_-]{22}"},
      {"square-token", "EAAA[0-9A-Za-z_-]{60}"},
      {"shopify-token", "shpat_[0-9a-f]{32}"},
      {"notion-token", "ntn_[0-9]{11}[0-9A-Za-z]{35}"},
      {"linear-key", "lin_api_[0-9A-Za-z]{40}"},
      {"figma-token", "figd_[0-9A-Za-z_-]{43}"},
      {"dropbox-token", "sl.[0-9A-Za-z_-]{135}"},
      {"facebook-token", "EAAC[0-9A-Za-z]{120}"},
      {"sentry-token", "sntryu_[0-9a-f]{64}"},
      {"grafana-token", "glsa_[0-9A-Za-z]{32}_[0-9a-f]{8}"},
      {"new-relic-key", "NRAK-[0-9A-Z]{27}"},
      {"postman-key", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"},
      {"onepassword-key", "A3-[0-9A-Z]{6}-[0-9A-Z]{6}-[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}"},
      {"onepassword-key", "ops_eyJ[0-9A-Za-z]{600}"},
      {"dynatrace-token", "dt0c01.[0-9A-Z]{24}.[0-9A-Z]{64}"},
      {"mapbox-token", "sk.eyJ[0-9A-Za-z]{60}.[0-9A-Za-z_-]{22}"},
      {"posthog-key", "phx_[0-9A-Za-z]{47}"},
      {"adobe-secret", "p8e-[0-9A-Za-z]{32}"},
      {"authress-key", "sc_[0-9a-z]{10}.[0-9a-z]{4}.acc_[0-9a-z]{10}.[0-9A-Za-z]{30}"},
      {"duffel-token", "duffel_test_[0-9A-Za-z_-]{43}"},
      {"easypost-key", "EZAK[0-9A-Za-z]{54}"},
      {"flutterwave-key", "FLWSECK_TEST-[0-9a-h]{32}-X"},
      {"frameio-token", "fio-u-[0-9A-Za-z_-]{64}"},
      {"intra42-secret", "s-s4t2ud-[0-9a-f]{64}"},
      {"plaid-token", "access-sandbox-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"},
      {"shippo-token", "shippo_live_[0-9a-f]{40}"},
      {"typeform-token", "tfp_[0-9A-Za-z]{59}"},
      {"paypal-braintree-token", "access_token$production$[0-9a-z]{16}$[0-9a-f]{32}"},
      {"paddle-key", "pdl_live_apikey_[0-9a-z]{26}_[0-9A-Za-z]{22}"},
      {"contentful-token", "CFPAT-[0-9A-Za-z_-]{43}"},
      {"rapidapi-key", "[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{6}jsn[0-9a-f]{12}"},
      {"besttime-key", "pri_[0-9a-f]{32}"},
      {"asana-token", "1/12[0-9]{14}:[0-9a-f]{32}"},
      {"azure-devops-token", "[0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4}"},
      {"prefixed-key", "polar_oat_[0-9A-Za-z]{40}"},
  };
  return shapes;
}

const std::vector<NamedKeyShape>& NamedKeyShapes() {
  static const std::vector<NamedKeyShape> shapes = {
      {"azure-openai-key", "AZURE_OPENAI_API_KEY", "[0-9a-f]{32}"},
      {"mistral-key", "MISTRAL_API_KEY", "[0-9A-Za-z]{32}"},
      {"cohere-key", "COHERE_API_KEY", "[0-9A-Za-z]{40}"},
      {"together-hex-key", "TOGETHER_API_KEY", "[0-9a-f]{64}"},
      {"model-provider-key", "DEEPGRAM_API_KEY", "[0-9a-f]{40}"},
      {"model-provider-key", "ASSEMBLYAI_API_KEY", "[0-9a-f]{32}"},
      {"model-provider-key", "WANDB_API_KEY", "[0-9a-f]{40}"},
      {"model-provider-key", "SERPER_API_KEY", "[0-9a-f]{40}"},
      {"model-provider-key", "EXA_API_KEY", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"},
      {"model-provider-key", "ZHIPU_API_KEY", "[0-9a-f]{32}.[0-9A-Za-z]{16}"},
      {"model-provider-key", "BASETEN_API_KEY", "[0-9A-Za-z]{8}.[0-9A-Za-z]{32}"},
      {"aws-secret-access-key", "AWS_SECRET_ACCESS_KEY", "[0-9A-Za-z+/]{40}"},
      {"twilio-auth-token", "TWILIO_AUTH_TOKEN", "[0-9a-f]{32}"},
  };
  return shapes;
}

const std::vector<std::string>& Contexts() {
  static const std::vector<std::string> contexts = {
      "export {n}={v}\n",
      "{n} = \"{v}\";",
      "{\"{n}\": \"{v}\"}",
      "env:\n  - {n}: '{v}'\n",
      "os.environ[\"{n}\"] = \"{v}\"\n",
      "run --{n} {v} --verbose",
      "<{n}>{v}</{n}>",
      "{n}: str = \"{v}\"\n",
      "| {n} | {v} |\n",
      "https://e.org/v1?limit=2&{n}={v}&page=3",
      "config.get('{n}', '{v}')",
      "-{n}={v}\n+{n}=\n",
      "    12→{n}: {v}\n",
      "the {n} is {v}, do not lose it",
      "the {n} is _{v}_, do not lose it",
      "**{n}**: __{v}__.",
      "- name: {n}\n  value: {v}\n",
  };
  return contexts;
}

std::string WriteIn(std::string_view context, std::string_view name, std::string_view value) {
  std::string text(context);
  Replace(text, "{n}", name);
  Replace(text, "{v}", value);
  return text;
}

}  // namespace turnlog
