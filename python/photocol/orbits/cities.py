"""Large cities and some that matter to networks: name, latitude and longitude in degrees, inhabitants in millions.

Places are those of a centre, to a hundredth of a degree, which is 1 km; inhabitants are those of the agglomeration
about 2025, roughly. Names are ASCII.
"""

from __future__ import annotations

from functools import cache

_TABLE = """
Tokyo 35.69 139.69 37.0|Delhi 28.61 77.21 34.7|Shanghai 31.23 121.47 30.5|Dhaka 23.81 90.41 24.7
Sao Paulo -23.55 -46.63 22.9|Cairo 30.04 31.24 23.1|Mexico City 19.43 -99.13 22.8|Beijing 39.90 116.41 22.6
Mumbai 19.08 72.88 22.1|Osaka 34.69 135.50 18.9|Chongqing 29.56 106.55 18.2|Karachi 24.86 67.01 18.1
Kinshasa -4.32 15.31 17.8|Lagos 6.52 3.38 17.2|Istanbul 41.01 28.98 16.2|Kolkata 22.57 88.36 15.8
Buenos Aires -34.60 -58.38 15.8|Manila 14.60 120.98 15.2|Guangzhou 23.13 113.26 14.9|Tianjin 39.13 117.20 14.7
Lahore 31.55 74.34 14.8|Bangalore 12.97 77.59 14.4|Rio de Janeiro -22.91 -43.17 13.9|Shenzhen 22.54 114.06 13.5
Moscow 55.76 37.62 12.7|Chennai 13.08 80.27 12.3|Bogota 4.71 -74.07 11.8|Paris 48.86 2.35 11.3
Jakarta -6.21 106.85 11.6|Lima -12.05 -77.04 11.4|Hyderabad 17.39 78.49 11.3|Bangkok 13.76 100.50 11.4
Seoul 37.57 126.98 10.0|Nagoya 35.18 136.91 9.5|London 51.51 -0.13 9.8|Chengdu 30.57 104.07 9.9
Tehran 35.69 51.39 9.7|Nanjing 32.06 118.80 9.9|Ho Chi Minh City 10.82 106.63 9.8|Luanda -8.84 13.23 10.0
Wuhan 30.59 114.31 8.9|Xian 34.34 108.94 9.0|Ahmedabad 23.02 72.57 9.1|Kuala Lumpur 3.14 101.69 9.0
New York 40.71 -74.01 19.2|Los Angeles 34.05 -118.24 12.6|Chicago 41.88 -87.63 8.9|Houston 29.76 -95.37 6.9
Hangzhou 30.27 120.16 8.6|Hong Kong 22.32 114.17 7.8|Surat 21.17 72.83 8.6|Dongguan 23.02 113.75 7.7
Riyadh 24.71 46.68 8.0|Shenyang 41.81 123.43 7.8|Baghdad 33.31 44.37 8.1|Dar es Salaam -6.79 39.21 8.6
Foshan 23.02 113.12 7.8|Santiago -33.45 -70.67 7.0|Pune 18.52 73.86 7.5|Madrid 40.42 -3.70 6.8
Haerbin 45.80 126.53 7.1|Toronto 43.65 -79.38 6.5|Belo Horizonte -19.92 -43.94 6.3|Khartoum 15.50 32.56 6.8
Singapore 1.35 103.82 6.1|Johannesburg -26.20 28.05 6.4|Dalian 38.91 121.60 6.2|Qingdao 36.07 120.38 6.2
Barcelona 41.39 2.17 5.7|Fukuoka 33.59 130.40 5.5|Zhengzhou 34.75 113.63 6.1|Jinan 36.65 117.12 6.0
Abidjan 5.36 -4.01 6.1|Saint Petersburg 59.94 30.31 5.6|Yangon 16.84 96.17 5.8|Alexandria 31.20 29.92 5.8
Addis Ababa 9.03 38.74 6.0|Nairobi -1.29 36.82 5.8|Ankara 39.93 32.86 5.5|Guadalajara 20.67 -103.35 5.6
Hanoi 21.03 105.85 5.6|Sydney -33.87 151.21 5.2|Melbourne -37.81 144.96 5.4|Monterrey 25.69 -100.32 5.3
Cape Town -33.92 18.42 5.1|Jeddah 21.49 39.19 5.0|Brasilia -15.79 -47.88 5.0|Kabul 34.53 69.17 4.9
Rome 41.90 12.50 4.3|Montreal 45.50 -73.57 4.4|Tel Aviv 32.08 34.78 4.5|Casablanca 33.57 -7.59 4.0
Algiers 36.75 3.06 3.0|Berlin 52.52 13.41 3.6|Milan 45.46 9.19 3.2|Accra 5.60 -0.19 2.8
Kyiv 50.45 30.52 3.0|Dubai 25.20 55.27 3.1|Lisbon 38.72 -9.14 3.0|Athens 37.98 23.73 3.2
Caracas 10.48 -66.90 3.0|Vancouver 49.28 -123.12 2.7|Perth -31.95 115.86 2.2|Brisbane -27.47 153.03 2.6
Warsaw 52.23 21.01 1.8|Vienna 48.21 16.37 2.0|Bucharest 44.43 26.10 1.8|Budapest 47.50 19.04 1.8
Hamburg 53.55 9.99 1.8|Munich 48.14 11.58 1.6|Stockholm 59.33 18.07 1.7|Auckland -36.85 174.76 1.7
San Francisco 37.77 -122.42 3.3|Seattle 47.61 -122.33 3.5|Miami 25.76 -80.19 6.3|Washington 38.91 -77.04 5.5
Atlanta 33.75 -84.39 6.1|Dallas 32.78 -96.80 6.7|Denver 39.74 -104.99 2.9|Boston 42.36 -71.06 4.3
Amsterdam 52.37 4.90 1.2|Brussels 50.85 4.35 2.1|Frankfurt 50.11 8.68 0.8|Zurich 47.37 8.54 1.4
Copenhagen 55.68 12.57 1.4|Oslo 59.91 10.75 1.1|Helsinki 60.17 24.94 1.3|Dublin 53.35 -6.26 1.3
Reykjavik 64.15 -21.94 0.2|Anchorage 61.22 -149.90 0.3|Honolulu 21.31 -157.86 0.9|Ottawa 45.42 -75.70 1.4
Quito -0.18 -78.47 2.0|La Paz -16.49 -68.12 1.9|Montevideo -34.90 -56.16 1.8|Ushuaia -54.80 -68.30 0.1
"""


@cache
def cities() -> dict[str, tuple[float, float, float]]:
    """Latitude and longitude in degrees and inhabitants in millions, by name."""
    rows = (row.rsplit(" ", 3) for row in _TABLE.replace("\n", "|").split("|") if row)
    return {name: (float(north), float(east), float(millions)) for name, north, east, millions in rows}
