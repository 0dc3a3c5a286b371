/**
 * Small configurations as documentation and repositories have them, and what becomes of each.
 */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { kindOf, refuseUnplaced } from "./index.ts";
import { Source } from "./source.ts";
import type { Asked } from "./source.ts";
import type { Scheme } from "../model/plan.ts";

interface Row {
  proxy: string;
  title: string;
  config: string;
  /** beside it */
  files?: Record<string, string>;
  asked?: Partial<Asked>;
  schemes?: Scheme[];
  /** what the copy has, and has not */
  has?: string[];
  lacks?: string[];
  /** of Apache: what the file around it has */
  around?: string[];
  /** the changes that it prints: `line: words` */
  says?: string[];
  /** it cannot be adapted: fact and next step */
  refused?: [RegExp, RegExp];
}

const UPGRADE = "proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;";

const SCRIPTED = `global
  lua-load cost.lua fast
frontend all
  bind :80
  http-request lua.cost
  default_backend app
backend app
  server a 127.0.0.1:1`;

const ROWS: Row[] = [
  {
    proxy: "nginx",
    title: "a server for TLS beside one that redirects",
    config: `user www-data;
pid /var/run/other/nginx.pid;
events { worker_connections 768; }
http {
  access_log /var/log/nginx/access.log;
  upstream app { server 10.0.0.1:3000 weight=2; server app2:3000; }
  server { listen 80; return 301 https://$host$request_uri; }
  server {
    listen 443 ssl http2;
    listen [::]:443 ssl http2;
    ssl_certificate /etc/letsencrypt/live/x/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/x/privkey.pem;
    ssl_dhparam /etc/ssl/dhparam.pem;
    include /etc/letsencrypt/options-ssl-nginx.conf;
    auth_basic_user_file .htpasswd;
    location / { root /var/www; }
    location /ws/ { proxy_pass http://app/; proxy_read_timeout 60s; ${UPGRADE} }
  }
}`,
    schemes: ["wss"],
    has: [
      "worker_connections 768",
      "server echo:8080 weight=2; server echo:8080;",
      "listen 8443 ssl http2;",
      "ssl_certificate /certs/cert.pem;",
      "location / { proxy_pass http://app/; proxy_read_timeout 60s;",
      "pid /run/nginx.pid;",
    ],
    lacks: ["www-data", "return 301", "/var/www", "dhparam", "htpasswd", "[::]"],
    says: [
      "1: left out: user www-data",
      "5: access_log /var/log/nginx/access.log → /var/log/tried/access.log",
      "7: left out: server { … }",
      "9: listen 443 ssl http2 → 8443 ssl http2",
      "13: left out: ssl_dhparam /etc/ssl/dhparam.pem (there is no such file beside yours)",
      "14: left out: include /etc/letsencrypt/options-ssl-nginx.conf",
      "16: left out: location / { … } (the WebSockets live in location /ws/)",
      "17: location /ws/ → /",
    ],
  },
  {
    proxy: "nginx",
    title: "a fragment of a location, with the map elsewhere",
    config: `location /socket {
  proxy_pass https://backend:8443/socket;
  proxy_set_header Upgrade $http_upgrade;
  proxy_set_header Connection $connection_upgrade;
}`,
    schemes: ["ws"],
    has: [
      "events {}",
      "map $http_upgrade $connection_upgrade",
      "listen 8080;",
      "proxy_pass http://echo:8080/;",
    ],
    says: [
      "1: added: events, http, server",
      "2: proxy_pass https://backend:8443/socket → http://echo:8080/",
    ],
  },
  {
    proxy: "nginx",
    title: "a bare server, and the host that is asked for",
    config: `server { listen 80; server_name a.example; location / { proxy_pass http://a; ${UPGRADE} } }
server { listen 81; server_name b.example; location / { proxy_pass http://b; ${UPGRADE} } }`,
    asked: { host: "b.example" },
    has: ["server_name b.example", "listen 8080;"],
    lacks: ["a.example"],
  },
  {
    proxy: "nginx",
    title: "the path that is asked for, by a regular expression",
    config: `events {} http { server { listen 80;
location /ws { proxy_pass http://a; ${UPGRADE} }
location ~ ^/cable$ { proxy_pass http://b; ${UPGRADE} } } }`,
    asked: { path: "/cable" },
    says: ["3: location ~ ^/cable$ → /"],
  },
  {
    proxy: "nginx",
    title: "no header Upgrade",
    config: "events {}\nhttp { server { listen 80;\nlocation /ws { proxy_pass http://app; } } }",
    says: ["3: location /ws passes no WebSockets on"],
  },
  {
    proxy: "nginx",
    title: "includes of a folder, and modules that no image has",
    config: `load_module modules/ngx_http_brotli_filter_module.so;
events {}
http {
  brotli on;
  include conf.d/*.conf;
}`,
    files: {
      "conf.d/ws.conf": `server { listen 80; location / { proxy_pass http://app; ${UPGRADE} } }`,
    },
    says: ["1: left out: load_module", "4: left out: brotli on (the image has no ngx_brotli"],
  },
  {
    proxy: "nginx",
    title: "templates: what is replaced needs no value, what is kept does",
    config: `server { listen \${PORT}; server_name {{ NAME }}; client_max_body_size %%SIZE%%;
location / { proxy_pass http://{{ backend }}; ${UPGRADE} } }`,
    asked: { set: { NAME: "x.example" } },
    refused: [/line 1: %%SIZE%% is not filled/, /--set SIZE=VALUE/],
  },
  {
    proxy: "nginx",
    title: "templates, filled",
    config: `server { listen \${PORT}; client_max_body_size %%SIZE%%; location / { proxy_pass http://a; ${UPGRADE} } }`,
    asked: { set: { SIZE: "1m" } },
    has: ["client_max_body_size 1m"],
    says: ["1: listen ${PORT} → 8080"],
  },
  {
    proxy: "nginx",
    title: "a template with statements",
    config: "server {\n{% if tls %}listen 443 ssl;{% endif %} }",
    refused: [/line 2: \{% if tls %\} is a statement/, /Render it first/],
  },
  {
    proxy: "nginx",
    title: "no proxy_pass",
    config: "events {}\nhttp {\nserver { listen 80; root /x; } }",
    refused: [/nginx.conf, line 3: no location of this server passes/, /Expected a proxy_pass/],
  },
  {
    proxy: "nginx",
    title: "a block that does not end",
    config: "events {\n",
    refused: [/line 1: a \{ has no \}/, /Expected/],
  },
  {
    proxy: "haproxy",
    title: "a frontend that redirects what is plain, and an acl on the path",
    config: `global
    chroot /var/lib/haproxy
    log /dev/log local0
    stats socket /run/haproxy.sock
defaults
    mode http
    timeout client 30s
    errorfile 503 /etc/haproxy/errors/503.http
frontend stats
    bind :9000
    stats uri /
frontend www
    bind :80
    bind *:443 ssl crt /etc/ssl/x.pem alpn h2
    http-request redirect scheme https unless { ssl_fc }
    acl is_ws path_beg -i /ws
    acl is_host hdr(host) -i ws.example.com
    use_backend ws if is_ws is_host
backend ws
    option httpchk HEAD /health
    server a 10.0.0.1:3000 check ssl verify none`,
    schemes: ["wss"],
    has: [
      "bind :8443 ssl crt /certs/combined.pem alpn h2",
      "acl is_ws path_beg -i /\n",
      "acl is_host hdr(host) -i proxy proxy:8080 proxy:8443",
      "default_backend ws",
      "server a echo:8080 check\n",
      "option httpchk GET /healthz",
      "log stdout format raw local0",
    ],
    lacks: ["chroot", "frontend stats", "bind :80", "errorfile"],
    says: [
      "2: left out: chroot",
      "9: left out: frontend stats",
      "21: server a 10.0.0.1:3000 check ssl verify none → server a echo:8080 check",
    ],
  },
  {
    proxy: "haproxy",
    title: "addresses and words of versions that are gone",
    config: `global
  nbproc 2
defaults
  mode http
frontend all 0.0.0.0:8888
  reqadd X-Forwarded-Proto:\\ https
  default_backend app
backend app
  server a 127.0.0.1:1`,
    schemes: ["ws"],
    has: ["frontend all\n    bind :8080"],
    says: ["2: left out: nbproc 2", "6: left out: reqadd"],
  },
  {
    proxy: "haproxy",
    title: "a script beside it",
    config: SCRIPTED,
    files: { "cost.lua": "core" },
    schemes: ["ws"],
    has: ["lua-load /usr/local/etc/haproxy/cost.lua fast", "http-request lua.cost"],
  },
  {
    proxy: "haproxy",
    title: "a script that is elsewhere",
    config: SCRIPTED,
    schemes: ["ws"],
    lacks: ["lua"],
    says: ["2: left out: lua-load", "5: left out: http-request lua.cost (there is no such file"],
  },
  {
    proxy: "haproxy",
    title: "no way to a server",
    config: "defaults\n  mode http\nfrontend x\n  bind :80\n  http-request return status 200",
    refused: [/haproxy.cfg, line 3: frontend x leads to no server/, /default_backend/],
  },
  {
    proxy: "envoy",
    title: "a route of WebSockets, TLS to client and server",
    config: `static_resources:
  listeners:
    - address: { socket_address: { address: 0.0.0.0, port_value: 10000 } }
      filter_chains:
        - transport_socket:
            name: envoy.transport_sockets.tls
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
              common_tls_context: { tls_certificates: [{ certificate_chain: { inline_string: x } }] }
          filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                route_config:
                  virtual_hosts:
                    - name: a
                      domains: [ws.example.com]
                      routes:
                        - match: { prefix: /api }
                          route: { cluster: api }
                        - match: { prefix: /ws }
                          route: { cluster: app, prefix_rewrite: /, upgrade_configs: [{ upgrade_type: websocket }] }
                http_filters:
                  - name: envoy.filters.http.ext_authz
                  - name: envoy.filters.http.router
  clusters:
    - name: app
      type: STATIC
      transport_socket: { name: envoy.transport_sockets.tls }
      load_assignment: { endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: 10.0.0.1, port_value: 3000 } } } }] }] }`,
    schemes: ["wss"],
    has: [
      '"port_value": 8443',
      '"address": "echo"',
      '"filename": "/certs/cert.pem"',
      '"STRICT_DNS"',
      '"prefix": "/api"',
    ],
    lacks: ["ext_authz", "prefix_rewrite", "10.0.0.1", "ws.example.com"],
    says: [
      "3: listens on 0.0.0.0:10000 → 0.0.0.0:8443",
      "17: domains ws.example.com → *",
      "21: prefix /ws → prefix /",
      "27: cluster app: 10.0.0.1:3000 → echo:8080",
    ],
  },
  {
    proxy: "envoy",
    title: "version 2 of its API",
    config: `static_resources:
  listeners:
    - filter_chains:
        - filters:
            - name: envoy.http_connection_manager
              config: { stat_prefix: x }`,
    refused: [
      /envoy.yaml, line 5: envoy.http_connection_manager with config is of version 2/,
      /version 3/,
    ],
  },
  {
    proxy: "envoy",
    title: "a control plane",
    config: "node: { id: a }\ndynamic_resources: { ads_config: {} }",
    refused: [/line 2: it has no static_resources/, /config_dump/],
  },
  {
    proxy: "caddy",
    title: "a site with a certificate of its own, and a path",
    config: `{
	email a@example.com
}
ws.example.com {
	tls internal
	basic_auth { a b }
	log {
		output file /var/log/caddy/x.log
	}
	handle /ws* {
		reverse_proxy app:3000 app:3001
	}
	handle {
		file_server
	}
}
other.example.com {
	respond "x"
}`,
    schemes: ["wss"],
    has: [
      "https://:8443 {",
      "tls /certs/cert.pem /certs/key.pem",
      "handle * {",
      "reverse_proxy echo:8080",
      "/var/log/tried/x.log",
    ],
    lacks: ["email", "basic_auth", "file_server", "other.example.com"],
    says: [
      "2: left out: email",
      "4: ws.example.com → https://:8443",
      "10: handle /ws* → *",
      "17: left out: other.example.com",
    ],
  },
  {
    proxy: "caddy",
    title: "a matcher of WebSockets, plain",
    config: `:80 {
	@ws {
		header Connection *Upgrade*
		header Upgrade websocket
		path /ring
	}
	reverse_proxy @ws {$BACKEND}
	file_server
}`,
    schemes: ["ws"],
    has: ["http://:8080 {", "path *", "reverse_proxy @ws echo:8080", "\nreverse_proxy echo:8080"],
    lacks: ["file_server"],
  },
  {
    proxy: "caddy",
    title: "JSON",
    config: `{ "apps": {} }`,
    refused: [/Caddyfile, line 1: it is JSON/, /Expected a Caddyfile/],
  },
  {
    proxy: "caddy",
    title: "no reverse_proxy",
    config: "x.example {\n  file_server\n}",
    refused: [/Caddyfile, line 1: no site has a reverse_proxy/, /Expected a site/],
  },
  {
    proxy: "traefik",
    title: "a file with routers of its own",
    config: `entryPoints:
  web: { address: ":80", http: { redirections: { entryPoint: { to: websecure } } } }
  websecure: { address: ":443" }
providers: { docker: {} }
accessLog: { filePath: /var/log/traefik/access.log }
http:
  middlewares: { auth: { basicAuth: { users: [x] } }, headers: { headers: { customRequestHeaders: { A: b } } } }
  routers:
    ws:
      rule: Host(\`x.example\`) && PathPrefix(\`/ws\`)
      entryPoints: [websecure]
      middlewares: [auth, headers]
      service: app
      tls: { certResolver: le }
  services: { app: { loadBalancer: { servers: [{ url: "http://10.0.0.1:3000" }], healthCheck: { path: /h } } } }`,
    schemes: ["wss"],
    has: ['"address": ":8443"', "/var/log/tried/access.log"],
    lacks: ["docker", ":443"],
    says: [
      "10: rule Host(`x.example`) && PathPrefix(`/ws`) → PathPrefix(`/`)",
      "12: left out: middleware auth (basicAuth)",
      "15: app: http://10.0.0.1:3000 → http://echo:8080",
    ],
  },
  {
    proxy: "traefik",
    title: "labels of containers",
    config: `services:
  app:
    labels:
      - "traefik.http.routers.app.rule=Host(\`x.example\`)"
      - traefik.http.services.app.loadbalancer.sticky.cookie.name=id`,
    schemes: ["ws"],
    has: ['"address": ":8080"'],
    says: ["app: http://app → http://echo:8080"],
  },
  {
    proxy: "traefik",
    title: "no router",
    config: "entryPoints:\n  web: { address: ':80' }\n",
    refused: [/no router of HTTP/, /http.routers/],
  },
  {
    proxy: "apache",
    title: "virtual hosts without what is around them",
    config: `<VirtualHost *:80>
  ServerName a.example
  Redirect permanent / https://a.example/
</VirtualHost>
<IfModule mod_ssl.c>
<VirtualHost a.example:443>
  ServerName a.example
  DocumentRoot /var/www
  ErrorLog \${APACHE_LOG_DIR}/error.log
  CustomLog "|/usr/bin/rotatelogs x" combined
  SSLCertificateFile /etc/letsencrypt/live/a/fullchain.pem
  SSLCertificateKeyFile /etc/letsencrypt/live/a/privkey.pem
  Include /etc/letsencrypt/options-ssl-apache.conf
  SSLProxyEngine on
  <Location "/socket">
    Require ip 10.0.0.0/8
    ProxyPass wss://app:3000/socket timeout=60
  </Location>
  ProxyPass / http://app:3000/
  ProxyPassReverse / http://app:3000/
</VirtualHost>
</IfModule>`,
    schemes: ["wss"],
    has: [
      "<VirtualHost *:8443>",
      "SSLCertificateFile /certs/cert.pem",
      "<Location />\n    \n    ProxyPass ws://echo:8080/ timeout=60",
      "CustomLog /var/log/tried/customlog.log combined",
      "SSLEngine on\n</VirtualHost>",
    ],
    lacks: ["Redirect", "/var/www", "letsencrypt", "Require", "app:3000", "SSLProxy"],
    around: [
      "LoadModule mpm_event_module modules/mod_mpm_event.so",
      "<IfModule !proxy_wstunnel_module>",
      "Listen 8443 https",
      "MaxRequestWorkers 16384",
      '%{User-Agent}i\\"" combined',
    ],
    says: [
      "1: added around the file: modules mpm_event, unixd, authz_core, proxy, proxy_http, ssl, ",
      "; the suite's number of threads; LogFormat combined; Listen 8443 https",
      "1: left out: <VirtualHost *:80> … </VirtualHost> (other virtual hosts are not measured)",
      "9: ErrorLog ${APACHE_LOG_DIR}/error.log → /var/log/tried/error.log",
      "13: left out: Include /etc/letsencrypt/options-ssl-apache.conf",
      '15: Location "/socket" → /: the load asks for /',
      "19: left out: ProxyPass / http://app:3000/ (the WebSockets live in /socket)",
      "20: added: SSLEngine on",
    ],
  },
  {
    proxy: "apache",
    title: "rules of mod_rewrite, of which the load meets no condition",
    config: `Listen 80
User daemon
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule security2_module modules/mod_security2.so
SecRuleEngine On
RewriteEngine On
RewriteCond %{REQUEST_URI} ^/api/websocket [NC,OR]
RewriteCond %{HTTP:Upgrade} ^WebSocket$ [NC]
RewriteRule ^/api/(.*) ws://app:8065/$1 [P,L]
RewriteCond %{HTTPS} off
RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]`,
    schemes: ["ws"],
    has: [
      "Listen 8080",
      "RewriteCond %{HTTP:Upgrade} websocket [NC,OR]",
      "RewriteRule ^/?(.*) ws://echo:8080/$1 [P,L]",
    ],
    lacks: ["User", "SecRule", "R=301", "HTTPS"],
    around: ["LoadModule mpm_prefork_module", "ProxyPass / http://echo:8080/\nInclude"],
    says: [
      "2: left out: User daemon",
      "4: left out: LoadModule security2_module modules/mod_security2.so (the image has no mod_security2",
      "5: left out: SecRuleEngine On (its module is not in the image",
      "9: added: ProxyPass / http://echo:8080/: what the load asks for beside WebSockets",
      "11: left out: RewriteRule ^ https://",
    ],
  },
  {
    proxy: "apache",
    title: "a balancer, in a folder as Debian has it",
    config: `ErrorLog \${APACHE_LOG_DIR}/error.log
IncludeOptional mods-enabled/*.load
Include /etc/apache2/ports.conf
IncludeOptional sites-enabled/*.conf`,
    files: {
      "mods-enabled/proxy.load": "LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so",
      "ports.conf": "Listen 80\n<IfModule ssl_module>\n  Listen 443\n</IfModule>",
      "sites-enabled/app.conf": `<VirtualHost *:80>
ProxyPass /ws balancer://app/
<Proxy balancer://app>
BalancerMember ws://10.0.0.1:3000 route=a
BalancerMember ws://10.0.0.2:3000 route=b
</Proxy>
</VirtualHost>`,
    },
    schemes: ["ws"],
    has: [
      "Include /usr/local/apache2/conf/tried/ports.conf",
      "IncludeOptional /usr/local/apache2/conf/tried/sites-enabled/*.conf",
    ],
    around: ["LoadModule proxy_module modules/mod_proxy.so", "lbmethod_byrequests_module"],
    says: [
      "1: Listen 80 → 8080",
      "3: left out: Listen 443 (nothing is measured there)",
      "2: ProxyPass /ws → /",
      "4: BalancerMember ws://10.0.0.1:3000 route=a → ws://echo:8080 route=a",
      "5: left out: BalancerMember ws://10.0.0.2:3000 route=b (one server is behind it)",
    ],
  },
  {
    proxy: "apache",
    title: "a pattern with upgrade=, which captures nothing of /",
    config: `ProxyPassMatch "^/app/(.*)$" "http://app:3999/$1" upgrade=websocket timeout=3600`,
    has: ["ProxyPass / http://echo:8080/ upgrade=websocket timeout=3600"],
  },
  {
    proxy: "apache",
    title: "no WebSockets",
    config: "# x\nProxyPass /app http://app:3000/app",
    says: ["2: ProxyPass /app passes no WebSockets on: that takes upgrade=websocket"],
  },
  {
    proxy: "apache",
    title: "the path and the host that are asked for",
    config: `<VirtualHost *:80>
ServerName a.example
ProxyPass /ws ws://a:1/ws
</VirtualHost>
<VirtualHost *:80>
ServerAlias www.b.example b.example
ProxyPass /cable ws://b:1/cable
ProxyPass /ws ws://b:1/ws
</VirtualHost>`,
    asked: { host: "b.example", path: "/cable" },
    says: ["1: left out: <VirtualHost", "7: ProxyPass /cable → /"],
  },
  {
    proxy: "apache",
    title: "nothing to pass on",
    config: "<VirtualHost *:80>\nDocumentRoot /x\n</VirtualHost>",
    refused: [/httpd.conf, line 1: nothing passes requests on/, /Expected one to the server/],
  },
  {
    proxy: "apache",
    title: "a section that does not end",
    config: "Listen 80\n<Location />\nProxyPass ws://a/",
    refused: [/httpd.conf, line 2: <Location> has no end/, /<\/Location>/],
  },
  {
    proxy: "hitch",
    title: "a daemon in front of Varnish",
    config: `frontend = { host = "*" port = "443" }
frontend = "[*]:8443+/etc/x.pem"
backend = "[127.0.0.1]:6086"  # PROXY
pem-file = {
  cert = "/etc/hitch/a.pem"
}
pem-file = "/etc/hitch/b.pem"
daemon = on
user = "hitch"
alpn-protos = "h2, http/1.1"
write-proxy-v2 = on
workers = 4
tls-protos = TLSv1.2 TLSv1.3`,
    schemes: ["wss"],
    has: [
      'frontend = { host = "0.0.0.0" port = "8443" }\n\nbackend = "[echo]:8080"',
      'pem-file = "/certs/combined.pem"\n',
      'alpn-protos = "http/1.1"',
      "workers = 4\ntls-protos = TLSv1.2 TLSv1.3",
    ],
    lacks: ["daemon", "user", "write-proxy", "a.pem", "b.pem"],
    says: [
      "2: left out: frontend",
      '3: backend "[127.0.0.1]:6086" → "[echo]:8080"',
      "11: left out: write-proxy-v2 = on (the server behind it does not read that",
    ],
  },
  {
    proxy: "haproxy-hitch",
    title: "what it does not say of HAProxy behind it",
    config: 'pem-file = "a"\nalpn-protos = "h2"\nproxy-proxy = on\nocsp-dir = "/var/lib/x"',
    has: [
      'alpn-protos = "h2"\n\nocsp-dir = ""\nfrontend = "[0.0.0.0]:8443"\nbackend = "[127.0.0.1]:8444"\nwrite-proxy-v2 = on',
    ],
    says: [
      '4: added: frontend = "[0.0.0.0]:8443"; backend = "[127.0.0.1]:8444"; write-proxy-v2 = on',
    ],
  },
  {
    proxy: "hitch",
    title: "a path",
    config: 'pem-file = "a"',
    asked: { path: "/ws" },
    refused: [/hitch reads no HTTP/, /--path/],
  },
  {
    proxy: "hitch",
    title: "another language",
    config: 'pem-file = "a"\nlisten 443;',
    refused: [/hitch.conf, line 2: listen 443; is no line of hitch.conf/, /name = value/],
  },
];

for (const row of ROWS) {
  test(`${row.proxy}: ${row.title}`, () => {
    const kind = kindOf(row.proxy);
    const [main] = kind.names;
    const files: Record<string, string> = { [main]: row.config, ...row.files };
    const source = new Source(main, kind.root, {
      read: (name) => files[name] ?? null,
      list: (folder) =>
        Object.keys(files).flatMap((name) =>
          dirname(name) === folder ? name.slice(folder === "." ? 0 : folder.length + 1) : [],
        ),
    });
    const adapt = () => kind.adapt(source, { set: {}, hasOwnImage: false, ...row.asked });
    if (row.refused) {
      const [fact, next] = row.refused;
      assert.throws(adapt, (error) => {
        assert.ok(error instanceof UserError, String(error));
        assert.match(error.message, fact);
        assert.match(error.next, next);
        assert.equal(error.exitCode, 2);
        return true;
      });
      return;
    }
    const adapted = adapt();
    const text = adapted.files[main] ?? adapted.files[`tried/${main}`];
    const said = adapted.changes.map(({ line, what }) => `${line}: ${what}`);
    if (row.schemes) assert.deepEqual(adapted.schemes, row.schemes);
    for (const part of row.has ?? []) assert.ok(text.includes(part), `${part} in\n${text}`);
    for (const part of row.lacks ?? []) assert.ok(!text.includes(part), `no ${part} in\n${text}`);
    const frame = adapted.files[adapted.main];
    for (const part of row.around ?? []) assert.ok(frame.includes(part), `${part} in\n${frame}`);
    for (const part of row.says ?? [])
      assert.ok(
        said.some((line) => line.includes(part)),
        `${part} of\n${said.join("\n")}`,
      );
  });
}

test("a copy of nginx.conf keeps its lines", () => {
  const config =
    "user x;\nevents {}\nhttp {\n  server {\n    listen 80;\n    location / {\n      proxy_pass http://a;\n    }\n  }\n}\n";
  const { names, root, adapt } = kindOf("nginx");
  const source = new Source(names[0], root, { read: () => config, list: () => [] });
  const { files } = adapt(source, { set: {}, hasOwnImage: false });
  assert.equal(
    files[names[0]].split("\n").findIndex((line) => line.includes("echo:8080")),
    6,
  );
});

test("a name of --set needs a place in one of the two configurations", () => {
  const { names, root, adapt } = kindOf("nginx");
  const [own, baseline] = ["${SIZE}", "1m"].map((size) => {
    const read = () =>
      `server { client_max_body_size ${size}; location / { proxy_pass http://a; } }`;
    return adapt(new Source(names[0], root, { read, list: () => [] }), {
      set: { SIZE: "1m" },
      hasOwnImage: false,
    });
  });
  refuseUnplaced({ SIZE: "1m" }, [own, baseline]);
  assert.throws(() => refuseUnplaced({ SIZE: "1m", SISE: "1m" }, [own, baseline]), {
    message: /--set SISE: no configuration/,
    next: /\$\{SISE\}/,
  });
});

test("of a proxy whose files cannot be tried, those that can are named", () => {
  assert.throws(() => kindOf("nghttpx"), {
    message: /configuration of nghttpx/,
    next: /nginx, haproxy/,
  });
});
