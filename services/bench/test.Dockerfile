# Everything that `./bench test` needs, over the image of the command line. Its context is the whole project,
# of which test.Dockerfile.dockerignore admits only the lists of dependencies: the tests run on the current files.
FROM ws-proxy-bench/bench
USER root
RUN apt-get update \
 && apt-get install -y --no-install-recommends busybox chromium docker-registry fonts-dejavu-core git shellcheck \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /deps
COPY . .
RUN for lock in $(find . -name package-lock.json -not -path '*/node_modules/*'); do \
      (cd "$(dirname "$lock")" && npm ci --no-audit --no-fund) || exit 1; \
    done
COPY services/bench/test/run-tests /run-tests
USER 1000:1000
ENTRYPOINT ["/run-tests"]
