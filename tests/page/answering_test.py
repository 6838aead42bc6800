"""From an agent's question in another process to its answer on the page, and the agent going on."""
import page_case
from page_case import Keys

SELECT = {"text": "Which plan?", "default": "team",
          "answer_type": {"type": "select", "options": [{"value": "small"}, {"value": "team", "description": "up to 100"}], "other": True}}
REGIONS = {"text": "Which regions?",
           "answer_type": {"type": "multi_select", "options": [{"value": "eu"}, {"value": 7}], "other": True}}
INVOICE = {"text": "Whom do we invoice?", "answer_type": {"type": "schema", "schema": {
    "type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "title": "Name"}, "days": {"type": "integer"}, "kind": {"enum": ["card", "invoice"]},
        "address": {"type": "object", "properties": {"city": {"type": "string"}}}, "tags": {"type": "array"}}}}}
FORM = {"questions": [{"id": "a", "text": "First?"}, {"id": "b", "text": "Second?", "answer_type": "boolean"},
                      {"id": "c", "text": "Third?"}]}
COMMAND = {"command": "rm -rf build", "cwd": "/home/ann"}


class AnsweringTest(page_case.PageCase):
    def ask(self, conversation, question):
        agent = self.agent(conversation, "ask", question)
        return agent, self.page.card(question["text"])

    def test_an_option(self):
        agent, card = self.ask("select", SELECT)
        card.click("small")
        card.type("[name=note]", "for now").click("Answer")
        self.assertRegex(agent.result(), r'^"small" \(for now\) by \w+ via page$')
        self.page.one(".card.closed", "small by")

    def test_the_default(self):
        agent, card = self.ask("default", SELECT)
        card.click("Answer")
        self.assertTrue(agent.result().startswith('"team" by'))

    def test_another_text_than_the_options(self):
        agent, card = self.ask("other", SELECT)
        card.type(".choice input[type=text]", "huge").click("Answer")
        self.assertTrue(agent.result().startswith('"huge" by'))

    def test_several_options(self):
        agent, card = self.ask("multi", REGIONS)
        card.click("7")
        card.type(".choice input[type=text]", "moon").click("Answer")
        self.assertTrue(agent.result().startswith('[7,"moon"] by'))

    def test_yes_or_no(self):
        agent, card = self.ask("boolean", {"text": "Go live?", "answer_type": {"type": "boolean"}})
        card.click("Answer")
        card.status("Give an answer first")
        card.click("No")
        card.click("Answer")
        self.assertTrue(agent.result().startswith("false by"))

    def test_a_text_by_keys(self):
        agent, card = self.ask("text", {"text": "What shall it say?", "answer_type": {"type": "text"}})
        card.type("textarea", "Hello,\nworld")
        self.page.keys(Keys.CONTROL + Keys.ENTER)
        self.assertTrue(agent.result().startswith(r'"Hello,\nworld" by'))

    def test_a_schema(self):
        agent, card = self.ask("schema", INVOICE)
        for selector, text in (("fieldset fieldset > label:nth-of-type(1) input", "ACME"), ("[type=number]", "30"), ("textarea", '["a"]')):
            card.type(selector, text)
        card.find(".field select").send_keys("invoice")
        card.find("fieldset fieldset fieldset input").send_keys("Bonn")
        card.click("Answer")
        self.assertIn('{"name":"ACME","days":30,"kind":"invoice","address":{"city":"Bonn"},"tags":["a"]} by', agent.result())

    def test_an_answer_that_does_not_fit_is_explained(self):
        agent, card = self.ask("unfit", INVOICE)
        card.type("[type=number]", "1.5").click("Answer")
        card.status("answer")
        self.assertIn("error", card.find(".status").get_attribute("class"))
        card.type("textarea", "[").click("Answer")
        card.status("not valid JSON")
        agent.stop()
        self.served.logctl("cancel", "unfit")

    def test_a_default_that_does_not_fit_is_none(self):
        question = {"text": "Which of these?", "default": "a", "answer_type": {"type": "multi_select", "options": [{"value": "a"}, {"value": "b"}]}}
        self.served.logctl("append", "odd default", lines=page_case.asking(question))
        card = self.page.card("Which of these?")
        card.click("b")
        card.click("Answer")
        self.page.one(".card.closed", "b by")
        self.assertIn('"answer":["b"]', self.served.logctl("cat", "odd default"))

    def test_an_odd_schema_has_a_form(self):
        schema = {"title": 5, "type": "object", "properties": {"x": {"type": "string", "title": [1]}, "y": True}}
        self.served.logctl("append", "odd schema", lines=page_case.asking({"text": "What is odd?", "answer_type": {"type": "schema", "schema": schema}}))
        card = self.page.card("What is odd?")
        card.type("fieldset fieldset input", "one").type("textarea", "[2]").click("Answer")
        self.page.one(".card.closed", "by")
        self.assertIn('"answer":{"x":"one","y":[2]}', self.served.logctl("cat", "odd schema"))

    def test_what_cannot_be_loaded_says_so_and_can_be_tried_again(self):
        self.page.run("window.sound = window.fetch; window.fetch = (url, ...more) =>"
                      " String(url).includes('/events') ? Promise.reject(new TypeError('no way')) : window.sound(url, ...more)")
        agent = self.agent("unloaded", "approve", {"file_path": "/a", "content": "x" * 100_000})
        card = self.page.card("no way")
        self.page.run("window.fetch = window.sound")
        card.click("Try again")
        card = self.page.card("/a")
        card.click("Allow once")
        self.assertEqual(agent.result(), "approved")

    def test_a_secret_reaches_the_agent_and_nothing_else(self):
        agent, card = self.ask("secret", {"text": "The token?", "answer_type": {"type": "secret"}})
        card.type("[type=password]", "correct-horse").click("Answer")
        self.assertEqual(agent.result(), "secret correct-horse")
        self.page.one(".card.closed", "Secret given")
        self.assertNotIn("correct-horse", self.page.run("return JSON.stringify(sessionStorage) + document.documentElement.outerHTML"))
        self.assertNotIn("correct-horse", self.served.logctl("cat", "--raw", "secret"))

    def test_a_secret_that_no_agent_waits_for_is_refused(self):
        self.served.logctl("append", "nobody", lines=page_case.asking({"text": "The key?", "answer_type": {"type": "secret"}}))
        card = self.page.card("The key?")
        card.type("[type=password]", "hush").click("Answer")
        card.status("no agent is waiting for this secret")
        self.assertEqual(card.find("[type=password]").get_attribute("value"), "")
        self.served.logctl("cancel", "nobody")

    def test_declining_and_ending_the_turn(self):
        agent, card = self.ask("decline", {"text": "Decline?", "answer_type": {"type": "text"}})
        card.click("Decline")
        self.assertEqual(agent.result(), "cancelled user")
        agent, card = self.ask("end", {"text": "End?", "answer_type": {"type": "text"}})
        card.click("End turn")
        self.assertEqual(agent.result(), "cancelled end_turn")

    def test_a_form_forth_and_back(self):
        agent = self.agent("form", "form", FORM)
        card = self.page.card("[1/3]")
        card.type("textarea", "one").click("Answer")
        card = self.page.card("[2/3]")
        card.click("Back")
        card = self.page.card("[1/3]")
        self.assertEqual(card.find("textarea").get_attribute("value"), "one")
        card.type("textarea", " more").click("Answer")
        card = self.page.card("[2/3]")
        card.click("Yes")
        card.click("Answer")
        self.page.card("[3/3]").type("textarea", "three").click("Answer")
        self.assertEqual(agent.result(), '{"a":"one more","b":true,"c":"three"}')

    def test_a_message_instead_of_a_form(self):
        agent = self.agent("reply", "form", FORM)
        self.page.card("[1/3]").click("Write a message instead")
        self.assertIn('"cancelled":true', agent.result())

    def test_an_escalation_says_why(self):
        agent, card = self.ask("why", {"text": "Deploy?", "answer_type": {"type": "boolean"}, "context": "at night",
                                       "rejected": {"reason": "not tested", "model": "small"}})
        self.assertIn("small said no: not tested", card.element.text)
        self.assertIn("at night", card.element.text)
        card.click("Yes")
        card.click("Answer")
        self.assertTrue(agent.result().startswith("true by"))

    def test_a_permission(self):
        agent = self.agent("allow", "approve", COMMAND)
        card = self.page.card("rm -rf build")
        self.assertIn("approval", card.element.get_attribute("class"))
        self.assertEqual(card.element.accessible_name.lower(), "permission allow")
        self.assertIn("/home/ann", card.element.text)
        card.click("Allow once")
        self.assertEqual(agent.result(), "approved")

    def test_a_change_is_shown_as_its_lines(self):
        agent = self.agent("change", "approve", {"file_path": "a.py", "old_string": "x\na = 1\nz\n", "new_string": "x\na = 2\nb = 2\nz\n"})
        card = self.page.card("a.py")
        self.assertEqual(card.find(".diff").get_property("textContent"), " x\n-a = 1\n+a = 2\n+b = 2\n z\n")
        card.click("Allow once")
        self.assertEqual(agent.result(), "approved")

    def test_several_changes_and_a_patch_are_shown_as_their_lines(self):
        for name, arguments, lines in (
                ("edits", {"file_path": "b.py", "edits": [{"old_string": "1", "new_string": "2"}, {"old_string": "3", "new_string": "", "replace_all": True}]},
                 "@@ change 1 of 2\n-1\n+2\n@@ change 2 of 2, wherever it occurs\n-3\n+\n"),
                ("patch", {"command": ["apply_patch", "*** Begin Patch\n+b.py\n*** End Patch"]}, "*** Begin Patch\n+b.py\n*** End Patch\n"),
                ("cell", {"notebook_path": "b.py", "new_source": "x = 1"}, "+x = 1\n")):
            agent = self.agent(name, "approve", arguments)
            card = self.page.card("b.py")
            self.assertEqual(card.find(".diff").get_property("textContent"), lines)
            card.click("Allow once")
            self.assertEqual(agent.result(), "approved")
            self.page.gone(".card:not(.closed)")

    def test_no_word_of_a_command_is_hidden_by_a_patch_in_it(self):
        agent = self.agent("hidden", "approve", {"command": ["bash", "-c", "rm -rf build", "*** Begin Patch"]})
        self.page.card("bash -c 'rm -rf build' '*** Begin Patch'").click("Allow once")
        self.assertEqual(agent.result(), "approved")

    def test_a_topic_and_a_preview_are_shown(self):
        agent, card = self.ask("preview", {"text": "Which layout?", "header": "Layout", "answer_type": {
            "type": "select", "options": [{"value": "grid", "preview": "+--+--+"}, {"value": "list"}]}})
        self.assertEqual((card.find(".topic").text, card.find(".preview").text), ("Layout", "+--+--+"))
        card.click("list")
        card.click("Answer")
        self.assertIn('"list" by', agent.result())

    def test_a_denial_with_its_reason(self):
        agent = self.agent("deny", "approve", COMMAND)
        self.page.card("rm -rf build").type(".reason", "still needed").click("Deny")
        self.assertEqual(agent.result(), "denied still needed")
        self.page.open("#/c/deny").one(".denial", "still needed")

    def test_a_permission_for_the_turn_is_on_record(self):
        agent = self.agent("turn", "approve", COMMAND)
        self.page.card("rm -rf build").click("Allow this call for the turn")
        self.assertEqual(agent.result(), "approved")
        self.assertIn('"type":"permission"', self.served.logctl("cat", "--raw", "turn"))

    def test_edited_arguments_run_and_both_versions_are_on_record(self):
        agent = self.agent("edit", "approve", {**COMMAND, "id": 12345678901234567890})
        card = self.page.card("rm -rf build")
        card.click("Edit\u2026")
        area = card.find("[name=arguments]")
        indented = '{\n  "command": "rm -rf build",\n  "cwd": "/home/ann",\n  "id": 12345678901234567890\n}'  # JavaScript has no such number
        self.assertEqual(area.get_attribute("value"), indented)
        area.clear()
        area.send_keys('{"command"')
        card.click("Run with these arguments")
        card.status("not valid JSON")
        area.send_keys(': "rm -rf build/tmp", "id": 12345678901234567890}')
        card.click("Run with these arguments")
        self.assertEqual(agent.result(), 'edited {"command":"rm -rf build/tmp","id":12345678901234567890}')
        self.page.one(".card.closed", "Allowed with other arguments")
        self.page.open("#/c/edit").one(".outcome", "rm -rf build/tmp")

    def test_several_permissions_at_once(self):
        agents = [self.agent(f"bulk-{number}", "approve", {"command": f"task {number}"}) for number in range(3)]
        self.page.card("task 0").find("input.select").click()
        self.page.click("#bulk button", "Select 2 more of deploy")
        self.page.one("#bulk", "3 permissions")
        self.page.click("#bulk button", "Allow all once")
        self.assertEqual([agent.result() for agent in agents], ["approved"] * 3)
        self.page.gone("#bulk")

    def test_keys_lead_to_a_permission_but_do_not_decide_it(self):
        agent = self.agent("keys", "approve", COMMAND)
        self.page.card("rm -rf build")
        self.page.run("document.activeElement.blur()")
        self.page.keys("j")
        while "keys" not in self.page.driver.switch_to.active_element.text:
            self.page.keys("j")
        self.page.keys("d")
        self.assertEqual(self.page.run("return document.activeElement.name"), "reason")
        self.page.keys(Keys.ESCAPE, "a")
        self.assertEqual(self.page.driver.switch_to.active_element.text, "Allow once")
        self.page.keys(Keys.ENTER)
        self.assertEqual(agent.result(), "approved")

    def test_a_question_is_no_permission_whatever_it_says(self):
        agent, card = self.ask("lookalike", {"text": "Permission: run deploy?", "answer_type": {"type": "boolean"},
                                             "context": '{"to":"production"}', "exclusive": True})
        self.assertNotIn("approval", card.element.get_attribute("class"))
        self.assertNotIn("Allow", card.element.text)
        self.assertEqual(card.element.accessible_name.lower(), "question lookalike")
        agent.stop()
        self.served.logctl("cancel", "lookalike")


if __name__ == "__main__":
    page_case.main()
