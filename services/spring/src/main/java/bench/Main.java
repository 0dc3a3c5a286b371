package bench;

import io.netty.channel.unix.UnixChannelOption;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.ProxyProtocolSupportType;

/** Spring Boot on Netty: what stands behind the proxy in the scenario http-spring. One of several instances that share the port. */
@SpringBootApplication
@RestController
public class Main {
    public static void main(String[] args) {
        SpringApplication.run(Main.class, args);
    }

    @GetMapping(path = "/hello", produces = "text/plain")
    Mono<String> hello() {
        return Mono.just("Hello world\n");
    }

    @GetMapping(path = "/healthz", produces = "text/plain")
    Mono<String> health() {
        return Mono.just("ok\n");
    }

    @Bean
    WebServerFactoryCustomizer<NettyReactiveWebServerFactory> sharedPort() {
        return factory -> factory.addServerCustomizers(Main::shared);
    }

    /**
     * A listen socket for each instance on the same port: the kernel spreads the connections. The rest is as Spring Boot and Netty
     * have it by default: a thread for each core, a listen queue as long as net.core.somaxconn lets it be, no delay of small writes
     * (TCP_NODELAY), and idle connections kept for ever.
     */
    private static HttpServer shared(HttpServer server) {
        return server.option(UnixChannelOption.SO_REUSEPORT, true);
    }

    /** For a proxy that tells the client's address by the PROXY protocol: the same pages on a port of their own. */
    @EventListener
    void listenBehindProxyProtocol(ApplicationReadyEvent ready) {
        String port = System.getenv("ECHO_PROXY_PROTOCOL_PORT");
        if (port == null || port.isEmpty()) return;
        HttpHandler handler = ready.getApplicationContext().getBean(HttpHandler.class);
        shared(HttpServer.create())
                .port(Integer.parseInt(port))
                .proxyProtocol(ProxyProtocolSupportType.ON)
                .handle(new ReactorHttpHandlerAdapter(handler))
                .bindNow();
    }
}
