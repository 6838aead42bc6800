"""Hostile contents in every text that the page shows: nothing of them runs, and nothing is even tried."""
import page_case

SCRIPT = "window.owned=1"
PAYLOADS = [
    f"<script>{SCRIPT}</script>", f"</pre></textarea></title></style><script>{SCRIPT}</script>", f"<img src=x onerror={SCRIPT}>",
    f'" autofocus onfocus="{SCRIPT}" x="', f"' onmouseover='{SCRIPT}' x='", f"<svg onload={SCRIPT}></svg>",
    f"<details open ontoggle={SCRIPT}>", f'<iframe srcdoc="<script>top.{SCRIPT}</script>"></iframe>', f"javascript:{SCRIPT}",
    f'<meta http-equiv=refresh content="0;url=javascript:{SCRIPT}">', f"<!--><script>{SCRIPT}</script>-->", "{{constructor.constructor('" + SCRIPT + "')()}}",
    "${" + SCRIPT + "}", f"`-{SCRIPT}-`", f"<a href=javascript:{SCRIPT}>x</a>", "&lt;script&gt;" + SCRIPT + "&lt;/script&gt;", "__proto__", "constructor",
]


def everywhere(text):
    """A turn with this text in each field."""
    question = {"text": text, "context": text, "default": text, "rejected": {"reason": text, "model": text}, "form": {"question": 2, "of": 3}}
    key = lambda name: {"tool_call": "a", "question": name, "attempt": 1}
    ask = lambda name, type: {"type": "inquiry_request", "id": f"a.{name}.1", "key": key(name), "source": {"source": "tool", "name": text},
                              "question": {**question, "answer_type": type}}
    return [
        {"type": "turn_start"}, {"type": "chat_request", "content": text, "author": text}, {"type": "chat_response", "message": text},
        {"type": "chat_response", "reasoning": text}, {"type": text if text not in ("__proto__", "constructor") else "odd", text: text},
        {"type": "tool_call_request", "id": "z", "name": text, "arguments": {text: text, "command": text}},
        {"type": "tool_call_response", "id": "z", "content": text, "is_error": True, "denied": {"reason": text, "responder": {"kind": text, "who": text, "via": text}}},
        {"type": "tool_call_request", "id": "a", "name": text, "arguments": {"file_path": text, "old_string": text, "new_string": text, "cwd": text}},
        ask("select", {"type": "select", "options": [{"value": text, "description": text}], "other": True}), ask("text", {"type": "text"}),
        ask("schema", {"type": "schema", "schema": {"type": "object", "title": text, "description": text,
                                                    "properties": {text: {"enum": [text], "description": text}, "plain": {"title": text, "type": "string"}}}}),
        ask("closed", {"type": "multi_select", "options": [{"value": {text: text}}]}),
        {"type": "inquiry_response", "id": "a.closed.1", "outcome": "answered", "answer": [{text: text}], "reason": text, "responder": {"kind": "user", "who": text}},
    ]


def permission(text):
    arguments = page_case.json.dumps({"command": text, text: text})
    return [{"type": "turn_start"}, {"type": "chat_request", "content": text},
            {"type": "tool_call_request", "id": "p", "name": text, "arguments": page_case.json.loads(arguments)},
            {"type": "inquiry_request", "id": "p.approve.1", "key": {"tool_call": "p", "question": "approve", "attempt": 1},
             "source": {"source": "tool", "name": text},
             "question": {"text": f"Run {text}?", "answer_type": {"type": "boolean"}, "context": arguments, "exclusive": True}}]


class HostileTest(page_case.PageCase):
    def nothing_ran(self):
        self.assertIsNone(self.page.run("return window.owned ?? null"))
        self.assertEqual(self.page.run("return window.refused"), [])
        messages = self.page.driver.get_log("browser")  # a conversation that does not exist is a message of the network's
        self.assertEqual([each for each in messages if each["level"] == "SEVERE" and each["source"] != "network"], [])

    def names(self, *prefixes):
        return [f"{prefix}{payload}" for payload in PAYLOADS for prefix in prefixes]

    def test_0_this_browser_says_what_it_refuses(self):
        page = self.another_browser()
        page.sign_in()
        page.run(f"const script = document.createElement('script'); script.setAttribute('nonce', 'x'); document.body.append(script);"
                 f"try {{ script.textContent = '{SCRIPT}'; }} catch {{}} try {{ document.body.innerHTML = '<b>x</b>'; }} catch {{}}")
        page.wait(lambda: page.run("return window.refused.length"))
        self.assertIsNone(page.run("return window.owned ?? null"))

    def test_nothing_runs_in_any_view(self):
        for payload in PAYLOADS:
            self.served.logctl("append", f"all {payload}", lines=everywhere(payload))
            self.served.logctl("append", f"may {payload}", lines=permission(payload))
        self.page.wait(lambda: self.page.count(".card .actions") == 4 * len(PAYLOADS))
        self.assertEqual(self.page.count(".card.approval .actions"), len(PAYLOADS))
        self.page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        self.nothing_ran()
        for name in self.names("all ", "may "):
            self.page.open("#/c/" + page_case.quote(name))
            self.page.one("h1", name)
            self.page.one("li.event")
            self.page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            self.nothing_ran()
        for payload in PAYLOADS:
            self.page.open("#/search/" + page_case.quote(payload))
            self.page.one(".result mark")
            self.nothing_ran()
        self.page.open("#/all")
        self.page.wait(lambda: self.page.count(".row") == 2 * len(PAYLOADS))
        self.nothing_ran()
        tags = self.page.run("return document.querySelectorAll('main script, main img, main svg, main iframe, main meta').length")
        self.assertEqual(tags, 0)

    def test_hostile_errors_and_addresses(self):
        for payload in PAYLOADS:
            for view in ("c", "q/x", "search", payload):
                self.page.open(f"#/{view}/" + page_case.quote(payload))
                self.nothing_ran()


if __name__ == "__main__":
    page_case.main()
