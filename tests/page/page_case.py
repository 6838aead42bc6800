"""A served store, agents of other processes, and browsers: what the tests of the page share.

Nothing here waits for a time: each wait ends when its condition holds, and fails after a minute."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from urllib.parse import quote as percent_encode

try:
    from selenium import webdriver
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = Keys = None  # answering_test imports it

LOGCTL, ASKING_AGENT = os.environ["LOGCTL"], os.environ["ASKING_AGENT"]
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
PATIENCE = 60  # seconds
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1000"]

# Runs before the page: what the policy of the page has refused, and which notifications were shown.
WATCH = """
window.refused = [];
window.notified = [];
document.addEventListener("securitypolicyviolation", (event) => window.refused.push(`${event.violatedDirective} ${event.sample}`));
window.Notification = class { constructor(title, options) { window.notified.push(options.body); } };
window.Notification.permission = "granted";
"""

# In one call: a page may have a thousand events.
SHOWN = """
const [selector, text] = arguments;
return [...document.querySelectorAll(selector)].filter((each) =>
  each.checkVisibility() && each.getBoundingClientRect().width > 0 && each.innerText.includes(text));
"""


def quote(text):
    """A part of an address within the page."""
    return percent_encode(text, safe="")


class Served:
    """`logctl serve` on a store of its own, at a port that stays the same when it is started again."""

    def __init__(self, *options):
        self.options = options
        self.folder = tempfile.TemporaryDirectory(prefix="turnlog-page-")
        self.store = str(pathlib.Path(self.folder.name) / "store")
        self.listen = None
        self.start()

    def start(self):
        command = [LOGCTL, "--store", self.store, "serve", "--pair", *(["--listen", self.listen] if self.listen else []), *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if match := re.match(r"open (http://([\d.:]+)/\S+)", line):
                self.link, self.listen = match.groups()
                return
        raise AssertionError("the service does not start")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def logctl(self, *arguments, lines=None, stdin=None):
        text = stdin if lines is None else "".join(json.dumps(line) + "\n" for line in lines)
        done = subprocess.run([LOGCTL, "--store", self.store, *arguments], input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout

    def pairing_link(self):
        return self.logctl("serve", "--pair").split()[1]

    def address(self, fragment):
        return f"http://{self.listen}/{fragment}"


class Agent:
    """A process that asks; it has asked, and waits, when this is made."""

    def __init__(self, served, conversation, what, value):
        command = [ASKING_AGENT, served.store, conversation, what, json.dumps(value)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "waiting\n":
            raise AssertionError("the agent does not ask")

    def result(self):
        """What it was answered, when it has gone on and is done."""
        output, _ = self.process.communicate(timeout=PATIENCE)
        return output.splitlines()[-1]

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Page:
    """A browser with a profile of its own."""

    def __init__(self, served):
        options = webdriver.ChromeOptions()
        for flag in FLAGS:
            options.add_argument(flag)
        options.binary_location = BROWSER
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        self.served = served

    def sign_in(self):
        self.driver.get(self.served.pairing_link())
        self.wait(lambda: self.find("nav a"))
        return self

    def open(self, fragment):
        self.run("location.hash = arguments[0]", fragment)
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector, text=""):
        """The elements that are shown, with this text in them."""
        return self.run(SHOWN, selector, text)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def wait(self, condition):
        """Until it gives something; what it looks at may be replaced meanwhile."""
        wait = WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException])
        return wait.until(lambda _: condition())

    def one(self, selector, text=""):
        """The first element that is shown, with this text in it, when there is one."""
        return self.wait(lambda: next(iter(self.find(selector, text)), None))

    def gone(self, selector):
        self.wait(lambda: not self.find(selector))

    def card(self, text=""):
        """A card that waits."""
        return Card(self, self.one(".card:not(.closed)", text))

    def click(self, selector, text=""):
        self.one(selector, text).click()

    def keys(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def close(self):
        self.driver.quit()


class Card:
    def __init__(self, page, element):
        self.page, self.element = page, element

    def find(self, selector):
        return self.element.find_element(By.CSS_SELECTOR, selector)

    def click(self, text):
        """A button or a choice."""
        for each in self.element.find_elements(By.CSS_SELECTOR, "button, label"):
            if each.text.split("\n")[0] == text:
                return each.click()
        raise AssertionError(f"the card has no {text}: {self.element.text}")

    def type(self, selector, text):
        self.find(selector).send_keys(text)
        return self

    def status(self, text):
        """When its status says so."""
        self.page.wait(lambda: text in self.find(".status").text)


def asking(question, tool="t", arguments=None):
    """The events of a turn that asks, without an agent."""
    return [{"type": "turn_start"}, {"type": "chat_request", "content": "go"},
            {"type": "tool_call_request", "id": "c", "name": tool, "arguments": arguments or {}},
            {"type": "inquiry_request", "id": "c.q.1", "key": {"tool_call": "c", "question": "q", "attempt": 1},
             "source": {"source": "tool", "name": tool}, "question": question}]


class PageCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served()
        cls.addClassCleanup(cls.served.folder.cleanup)
        cls.addClassCleanup(lambda: cls.served.stop())
        cls.page = Page(cls.served)
        cls.addClassCleanup(cls.page.close)
        cls.page.sign_in()

    def setUp(self):
        self.page.open("#/")

    def agent(self, conversation, what, value):
        agent = Agent(self.served, conversation, what, value)
        self.addCleanup(agent.stop)
        return agent

    def another_browser(self):
        page = Page(self.served)
        self.addCleanup(page.close)
        return page


def main():
    missing = [name for name, found in (("chromium", BROWSER), ("chromium-driver", DRIVER), ("python3-selenium", webdriver)) if not found]
    if missing:
        print(f"no browser to test with; on Debian: apt-get install {' '.join(missing)}")
        sys.exit(77)
    unittest.main()
