import json
import os
import ssl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from verify_webhook import is_genuine

settings = dict(line.strip().split("=", 1) for line in open(".env") if "=" in line)
secrets = settings["WEBHOOK_SECRETS"].split(",")
inbox = {}  # yours is a table with the id as its key


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # for a sender that stops halfway

    def do_POST(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size) if 0 <= size <= 65536 else b""
        if not is_genuine(body, self.headers.get("Svc-Signature"), secrets):
            print("Refused: the signature does not fit.", flush=True)
            return self.answer(400)
        try:
            event = json.loads(body)
        except ValueError:
            return self.answer(400)
        is_new = inbox.setdefault(event["id"], event) is event
        print("Verified:" if is_new else "Already stored:", event["type"], event["id"], flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8443"))), Receiver)
if os.path.exists("cert.pem"):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print("Listening on", server.server_address[1], flush=True)
server.serve_forever()
