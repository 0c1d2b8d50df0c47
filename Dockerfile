# Two stages: the toolchain stays in the first one. docker build -t pystream .
# docker run -p 127.0.0.1:8000:8000 -v pystream:/data pystream
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY scripts/install.sh scripts/
RUN scripts/install.sh build
COPY . .
RUN scripts/build.sh release pystream && strip -o /pystream build/release/pystream

FROM debian:bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends curl libboost-container1.81.0 \
        libboost-json1.81.0 libboost-program-options1.81.0 libboost-url1.81.0 libisal2 libssl3 && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin pystream \
    && install -d -o pystream -g pystream /data
COPY --from=build /pystream /usr/local/bin/pystream
RUN pystream --version
USER pystream
# A container is reached from outside its own loopback, so it must listen on every address of its own network, and there are
# no tokens yet: publish the port only where everyone who reaches it may read and write everything (-p 127.0.0.1:8000:8000).
ENV PYSTREAM_HOST=0.0.0.0 PYSTREAM_INSECURE=true PYSTREAM_DATA_DIR=/data
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD curl --fail --silent --output /dev/null "http://127.0.0.1:${PYSTREAM_PORT:-8000}/api/health/ready" || exit 1
ENTRYPOINT ["/usr/local/bin/pystream"]
